-- rumur: ok, 3 states, 2 rules fired
-- A failed `assume` inside a function of the guard stops the rule.

var x: 0..3;
function f(): boolean; begin assume x < 2; return true; end;
startstate begin x := 0; end;
rule f() ==> begin x := x + 1; end;
