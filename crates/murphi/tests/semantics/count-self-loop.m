-- rumur: ok, 1 states, 1 rules fired
-- A rule that leads back to the same state counts as fired.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule "a" true ==> begin x := 0; end;
