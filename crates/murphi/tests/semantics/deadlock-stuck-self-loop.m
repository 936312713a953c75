-- rumur (deadlock stuck): ok, 4 states, 4 rules fired
-- In the stricter sense a self loop is no deadlock.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule x < 3 ==> begin x := x + 1; end;
rule x = 3 ==> begin x := 3; end;
