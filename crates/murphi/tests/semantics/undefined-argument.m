-- rumur: ok, 2 states, 2 rules fired
-- An undefined variable may be passed by value.

var x: 0..3; y: 0..3;
function f(z: 0..3): boolean; begin return isundefined(z); end;
startstate begin x := 0; end;
rule f(y) ==> begin x := 1; end;
