-- rumur: ok, 3 states, 4 rules fired
-- The kept change is seen by the body.

var x: 0..3; y: 0..3;
function f(): boolean; begin y := 3; return false; end;
function g(): boolean; begin y := 3; return true; end;
startstate begin x := 0; end;
rule "a" g() ==> begin x := 1; end;
rule "b" !isundefined(y) & x = 0 ==> begin x := 2; end;
rule "c" !isundefined(y) & x = 1 ==> begin x := 3; end;
