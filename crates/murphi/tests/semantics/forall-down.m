-- rumur: ok, 1 states, 0 rules fired
-- A quantifier from a greater to a smaller number counts down.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule x = 0 & forall i := 2 to x do i > 5 end ==> begin x := 1; end;
