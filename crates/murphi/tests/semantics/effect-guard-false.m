-- rumur: ok, 2 states, 2 rules fired
-- What a guard changes is dropped if it does not hold.

var x: 0..3; y: 0..3;
function f(): boolean; begin y := 3; return false; end;
startstate begin x := 0; end;
rule f() ==> begin x := 1; end;
rule true ==> begin x := 2; end;
