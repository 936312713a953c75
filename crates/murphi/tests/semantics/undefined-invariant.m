-- rumur: undefined read, 0 states, 0 rules fired
-- An invariant that reads an undefined value is an error.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule true ==> begin x := 1; end;
invariant "i" y = 1;
