-- rumur: ok, 2 states, 1 rules fired
-- The result of a function is not checked against its type.

var x: 0..3; y: 0..3;
function f(): 0..3; begin return x + 5; end;
startstate begin x := 0; end;
rule f() = 5 ==> begin x := 1; end;
