-- rumur: ok, 2 states, 1 rules fired
-- A function may be called for what it changes.

var x: 0..3; y: 0..3;
function f(): boolean; begin y := 3; return true; end;
startstate begin x := 0; end;
rule x = 0 ==> begin f(); x := 1; end;
