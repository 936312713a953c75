-- rumur: ok, 2 states, 1 rules fired
-- Variables start undefined.

var x: 0..3;
startstate begin end;
rule isundefined(x) ==> begin x := 0; end;
