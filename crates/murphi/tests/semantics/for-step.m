-- rumur: ok, 2 states, 1 rules fired
-- A loop with a step.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule x = 0 ==> begin y := 0; for i := 0 to 3 by 2 do y := y + 1; end; x := 1; end;
invariant "y" x = 0 | y = 2;
