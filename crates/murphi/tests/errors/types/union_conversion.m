type Node: scalarset(2); Home: scalarset(1); Data: scalarset(3);
     Any: union {Node, Home};
var x: Any; n: Node; d: Data;
startstate
  x := n;
  n := x;
  x := d;
  d := x;
  assert x = d;
end;
