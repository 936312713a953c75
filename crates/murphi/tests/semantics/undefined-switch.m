-- rumur: undefined read, 1 states, 0 rules fired
-- The subject of `switch` is read.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule true ==> begin switch y case 0: x := 1; end; end;
