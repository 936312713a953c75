-- rumur: ok, 2 states, 1 rules fired
-- Bounds with effects are computed once, in order.

var x: 0..3; y: 0..7;
function f(): 0..3; begin x := x + 1; return x; end;
startstate begin x := 0; y := 0; end;
rule x = 0 ==> begin for i := f() to f() do y := y + i; end; end;
invariant "twice" x = 0 | (x = 2 & y = 3);
