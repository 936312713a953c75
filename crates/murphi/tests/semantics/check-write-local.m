-- rumur: out of range, 1 states, 0 rules fired
-- Locals are checked too.

var x: 0..3;
startstate begin x := 3; end;
rule true ==> var z: 0..3; begin z := x + 1; x := 0; end;
