-- rumur: division by zero, 1 states, 0 rules fired
-- Division by a constant zero is an error only when it is reached.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule true ==> begin x := 1 / 0; end;
