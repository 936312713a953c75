type Colour: enum {red, green}; Node: scalarset(3);
var x: 0..3; c: Colour; n: Node; b: boolean;
startstate
  x := c + 1;
  x := 1 - b;
  x := -c;
  b := n < n;
  b := red <= green;
  x := x * n + ~b;
end;
