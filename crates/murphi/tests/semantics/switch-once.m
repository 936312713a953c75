-- rumur: ok, 2 states, 1 rules fired
-- The subject of `switch` is computed once.

var x: 0..3; y: 0..3;
function f(): 0..3; begin y := y + 1; return y; end;
startstate begin x := 0; y := 0; end;
rule x = 0 ==> begin switch f() case 3: x := 3; case 2: x := 2; case 1: x := 1; end; end;
invariant "once" x <= 1 & y <= 1;
