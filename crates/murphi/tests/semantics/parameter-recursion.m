-- rumur: ok, 1 states, 1 rules fired
-- Functions may call themselves.

var x: 0..3; y: 0..3;
function f(z: 0..3): 0..3; begin if z = 0 then return 0; end; return f(z - 1); end;
startstate begin x := 0; end;
rule true ==> begin x := f(3); end;
