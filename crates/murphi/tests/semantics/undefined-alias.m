-- rumur: ok, 2 states, 2 rules fired
-- An alias of a variable does not read it.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule true ==> begin alias q: y do x := 1; y := 2; end; end;
