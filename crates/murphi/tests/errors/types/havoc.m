const N: 2;
type Node: scalarset(3);
var a: array [Node] of boolean; n: Node;
startstate
  havoc a, n where n;
  havoc N;
  havoc a[n], m where a[n];
end;
