-- by hand: undefined read, 3 states, 2 rules fired
-- All guards are evaluated, those of rules that wait, too.

var x: 0..3; y: 0..3;
startstate begin x := 0; undefine y; end;
rule 1 "first" x < 3 ==> begin x := x + 1; end;
rule 2 "second" x > 0 & y = 1 ==> begin x := 0; end;
