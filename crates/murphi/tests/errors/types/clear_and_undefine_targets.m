const N: 3;
type Node: scalarset(3);
var x: 0..3;
startstate
  clear N;
  undefine Node[1];
  clear Node;
  undefine y;
end;
