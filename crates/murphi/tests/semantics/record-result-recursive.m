-- rumur: ok, 4 states, 3 rules fired
-- A function that returns records calls itself.

type R: record a: 0..7; end;
var r: R; x: 0..3;
function f(n: 0..3): R;
var t: R;
begin
  if n = 0 then t.a := 1; return t; end;
  t := f(n - 1);
  t.a := t.a + n;
  return t;
end;
startstate begin r := f(0); x := 0; end;
rule x < 3 ==> begin x := x + 1; r := f(x); end;
invariant "sum" x = 3 -> r.a = 7;
