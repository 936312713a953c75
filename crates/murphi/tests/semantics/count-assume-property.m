-- rumur: ok, 2 states, 2 rules fired
-- A state that a global `assume` rules out counts as fired, but not as a state.

var x: 0..3;
startstate begin x := 0; end;
rule x < 3 ==> begin x := x + 1; end;
assume "a" x < 2;
