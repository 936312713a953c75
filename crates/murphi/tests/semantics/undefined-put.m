-- rumur: ok, 2 states, 2 rules fired
-- `put` shows undefined variables.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule true ==> begin put y; put "\n"; x := 1; end;
