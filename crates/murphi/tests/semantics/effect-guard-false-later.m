-- rumur: ok, 1 states, 0 rules fired
-- The dropped change is not seen by other rules.

var x: 0..3; y: 0..3;
function f(): boolean; begin y := 3; return false; end;
function g(): boolean; begin y := 3; return true; end;
startstate begin x := 0; end;
rule "a" f() ==> begin x := 1; end;
rule "b" !isundefined(y) ==> begin x := 2; end;
