-- rumur: assertion, 1 states, 0 rules fired
-- A failed assertion ends the run.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule true ==> begin assert x = 0 "m"; assert "m2" x = 0; assert x = 0; x := 1; assert x = 0 "bad"; end;
