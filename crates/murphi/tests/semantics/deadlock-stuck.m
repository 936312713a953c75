-- rumur (deadlock stuck): deadlock, 4 states, 3 rules fired
-- In the stricter sense a state without enabled rules is one.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule x < 3 ==> begin x := x + 1; end;
