-- rumur: ok, 2 states, 2 rules fired
-- `return` ends a rule, which counts as fired.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule true ==> begin x := 1; return; x := 2; end;
invariant "v" x < 2;
