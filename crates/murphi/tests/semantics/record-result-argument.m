-- by hand: ok, 2 states, 1 rules fired
-- A result that is a record may be an argument.

type R: record a: 0..3; b: array [0..1] of 0..3; end;
var r: R; s: R; x: 0..3;
function f(n: 0..2): R;
var t: R;
begin
  t.a := n; t.b[0] := n; t.b[1] := n + 1;
  return t;
end;
startstate begin r := f(0); x := 0; end;
function g(t: R): 0..3; begin return t.a + t.b[1]; end;
rule x = 0 & g(f(1)) = 3 ==> begin x := g(f(1)); end;
invariant "three" x = 0 | x = 3;
