-- rumur: invariant, 0 states, 0 rules fired
-- A start that violates an invariant is not counted.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule true ==> begin x := 1; end;
invariant "i" x = 1;
