const N: 3;
type Colour: enum {red, green};
var x: 0..3;
function f(): 0..3; begin return 1; end;
startstate
  N := 1;
  red := green;
  Colour := red;
  f := 1;
  x := 0;
end;
