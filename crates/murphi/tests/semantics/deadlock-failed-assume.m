-- rumur (deadlock stuttering): deadlock, 4 states, 3 rules fired
-- A rule whose `assume` fails does not prevent a deadlock.

var x: 0..3;
startstate begin x := 0; end;
rule true ==> begin assume x < 3; x := x + 1; end;
