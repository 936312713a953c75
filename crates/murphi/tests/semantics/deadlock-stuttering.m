-- rumur (deadlock stuttering): deadlock, 4 states, 4 rules fired
-- A state that only leads to itself is a deadlock.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule x < 3 ==> begin x := x + 1; end;
rule x = 3 ==> begin x := 3; end;
