-- cmurphi: ok, 9 states, 8 rules fired
-- Of the enabled rules those with the least number fire; a rule without one has 0.

var x: 0..5; y: 0..3;
startstate begin x := 0; y := 0; end;
rule 20 "late" x < 5 ==> begin x := x + 1; end;
rule 10 "early" x = 2 & y < 3 ==> begin y := y + 1; end;
rule "at once" x = 4 ==> begin x := 5; end;
rule 90 "never" x < 5 & y = 1 ==> begin x := 0; end;
