-- rumur: error, 1 states, 0 rules fired
-- `error` ends the run.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule true ==> begin x := 1; error "boo"; end;
