-- rumur: invariant, 1 states, 1 rules fired
-- A loop from a greater to a smaller number counts down.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule x = 0 ==> begin y := 3; for i := 1 to x do y := i; end; x := 1; end;
invariant "y" x = 0 | y = 3;
