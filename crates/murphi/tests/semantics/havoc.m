-- by hand: ok, 10 states, 9 rules fired
-- `havoc` takes all values for which the condition holds.

var x: 0..3; a: array [0..1] of boolean;
startstate begin x := 0; a[0] := false; a[1] := false; end;
rule x = 0 ==> begin havoc x, a where x > 0 & (a[0] -> a[1]); end;
rule x = 3 ==> begin havoc x where x > 3; end;
