-- rumur: ok, 2 states, 1 rules fired
-- An alias hides the variable that it stands for.

var x: 0..3; y: 0..3;
startstate begin x := 0; y := 0; end;
rule x = 0 ==> begin alias y: x do y := 1; end; y := 2; end;
invariant "both" x = 0 | (x = 1 & y = 2);
