type Colour: enum {red, green}; Node: scalarset(3);
     Point: record x, y: 0..3; end;
var x: 0..3; c: Colour; n: Node; p: Point; b: boolean;
startstate
  x := true;
  c := 1;
  n := 2;
  p := x;
  b := c;
  p.x := p;
end;
