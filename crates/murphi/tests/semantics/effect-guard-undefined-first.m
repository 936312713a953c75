-- rumur: undefined read, 2 states, 1 rules fired
-- The same, where a test reads an undefined variable.

var x: 0..2; y: 0..3; z: 0..1;
function f(n: 0..3): boolean; begin y := n; return y = 2; end;
startstate begin x := 0; y := 0; end;
ruleset n: 0..3 do
  rule x = 0 & f(n) ==> begin x := 1; end;
  rule x = 1 & z = 0 & f(n) ==> begin x := 0; end;
end;
