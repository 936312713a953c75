-- by hand: ok, 2 states, 1 rules fired
-- Results that are records may be compared, in guards and under quantifiers.

type R: record a: 0..3; b: array [0..1] of 0..3; end;
var r: R; s: R; x: 0..3;
function f(n: 0..2): R;
var t: R;
begin
  t.a := n; t.b[0] := n; t.b[1] := n + 1;
  return t;
end;
startstate begin r := f(0); x := 0; end;
rule x = 0 & f(0) = r & exists i: 0..2 do f(i) != f(1) end ==> begin x := 1; end;
rule x = 1 & forall i: 0..2 do f(i) = r end ==> begin x := 2; end;
