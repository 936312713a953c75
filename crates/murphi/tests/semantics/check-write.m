-- rumur: out of range, 4 states, 3 rules fired
-- Writing a value outside the type is an error.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule true ==> begin x := x + 1; end;
