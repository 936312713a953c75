-- rumur: ok, 1 states, 2 rules fired
-- What `&`, `|` and `->` do not look at may be undefined.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule x = 1 & y = 0 ==> begin x := 1; end;
rule x = 0 | y = 0 ==> begin x := 0; end;
rule x = 1 -> y = 0 ==> begin x := 0; end;
