-- by hand: ok, 4 states, 3 rules fired
-- `?:` between records.

type R: record a: 0..3; b: array [0..1] of 0..3; end;
var r: R; s: R; x: 0..3;
function f(n: 0..2): R;
var t: R;
begin
  t.a := n; t.b[0] := n; t.b[1] := n + 1;
  return t;
end;
startstate begin r := f(0); x := 0; end;
rule x < 2 ==> begin s := (x = 0 ? r : f(2)); x := x + 1; end;
rule x = 2 & (x = 2 ? s : r) = f(2) ==> begin x := 3; end;
