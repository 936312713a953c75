type Node: scalarset(3); Colour: enum {red, green};
var x: 0..3; n: Node;
procedure p(a: 0..3; c: Colour; m: Node); begin x := a; end;
uninterpreted less(a, b: Node): boolean;
startstate
  p(red, n, 1);
  assert less(n, x);
end;
