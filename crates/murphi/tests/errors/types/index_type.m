type Node: scalarset(3); Colour: enum {red, green};
var a: array [Node] of boolean; b: array [Colour] of boolean; c: array [0..2] of boolean; n: Node;
startstate
  a[0] := true;
  b[n] := true;
  c[red] := true;
  c[true] := true;
  c[5] := true;
end;
