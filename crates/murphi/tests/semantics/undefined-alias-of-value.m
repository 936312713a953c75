-- rumur: undefined read, 1 states, 0 rules fired
-- An alias of another expression computes it, used or not.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule true ==> begin alias q: y + 1 do x := 1; end; end;
