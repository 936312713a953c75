-- cmurphi (deadlock stuttering): deadlock, 3 states, 3 rules fired
-- A rule that leads nowhere keeps those after it from firing.

var x: 0..3;
startstate begin x := 0; end;
rule 5 "on" x < 3 ==> begin x := x + 1; end;
rule 1 "stay" x = 2 ==> begin x := 2; end;
