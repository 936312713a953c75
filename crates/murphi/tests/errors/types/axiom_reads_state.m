type Node: scalarset(3);
var holder: Node;
function f(): Node; begin return holder; end;
uninterpreted leader: Node;
              next(n: Node): Node;
axiom "fine" next(leader) = leader;
axiom "state" next(holder) = leader;
axiom "call" next(f()) = leader;
axiom next(leader);
