-- rumur: ok, 2 states, 1 rules fired
-- The bounds of a loop are computed once.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule x = 0 ==> begin x := 1; y := 0; for i := 1 to x do x := 3; y := y + 1; end; end;
invariant "y" x = 0 | y = 1;
