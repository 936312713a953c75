type Node: scalarset(3);
var x: boolean;
function f(): boolean; begin return true; end;
uninterpreted next(n: Node): Node;
startstate x := Node; end;
rule "call without parentheses" x = f ==> begin x := false; end;
invariant "without arguments" forall n: Node do next = n end;
