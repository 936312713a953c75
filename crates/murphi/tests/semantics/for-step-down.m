-- rumur: ok, 2 states, 1 rules fired
-- A negative step.

var x: 0..3; y: 0..7;
startstate begin x := 3; y := 0; end;
rule y = 0 ==> begin for i := x to 0 by -2 do y := y + i; end; end;
invariant "sum" y = 0 | y = 4;
