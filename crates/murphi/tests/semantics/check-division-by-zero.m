-- rumur: division by zero, 1 states, 0 rules fired
-- Division by zero is an error.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule true ==> begin x := 1 / x; end;
