-- rumur: undefined read, 1 states, 0 rules fired
-- Copying an undefined simple value is an error.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule x = 0 ==> begin x := y; end;
