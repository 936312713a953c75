-- rumur: ok, 3 states, 2 rules fired
-- Division and remainder round towards zero.

var x: -10..10;
startstate begin x := -7; end;
rule x = -7 ==> begin x := x % 3; end;
rule x = -1 ==> begin x := -7 / 2; end;
invariant "m" x = -7 | x = -1 | x = -3;
