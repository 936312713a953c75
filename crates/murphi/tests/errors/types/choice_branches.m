type Colour: enum {red, green};
var x: 0..3; b: boolean;
startstate
  x := b ? 1 : red;
  x := x ? 1 : 2;
  b := b ? true : 0;
end;
