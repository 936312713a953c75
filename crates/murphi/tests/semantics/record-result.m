-- rumur: ok, 2 states, 1 rules fired
-- A function may return a record.

type R: record a: 0..3; b: array [0..1] of 0..3; end;
var r: R; s: R; x: 0..3;
function f(n: 0..2): R;
var t: R;
begin
  t.a := n; t.b[0] := n; t.b[1] := n + 1;
  return t;
end;
startstate begin r := f(0); x := 0; end;
rule x = 0 ==> begin s := f(1); x := s.b[1]; end;
invariant "two" x = 0 | x = 2;
