type Colour: enum {red, green};
var x: 0..3; c: Colour;
startstate
  x := 0; c := red;
  if x then x := 1; elsif c then x := 2; end;
  while x do x := 0; end;
  assert x "number";
  assume c;
end;
invariant "number" x;
cover "colour" c;
