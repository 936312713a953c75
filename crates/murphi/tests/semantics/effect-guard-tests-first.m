-- rumur: ok, 3 states, 2 rules fired
-- What a guard tests before it calls a function that has effects decides whether the function is called.

var x: 0..2; y: 0..3; z: 0..1;
function f(n: 0..3): boolean; begin y := n; return y = 2; end;
startstate begin x := 0; y := 0; end;
ruleset n: 0..3 do
  rule x = 0 & n != 3 & f(n) ==> begin x := 1; end;
  rule x = 1 & f(n) ==> begin x := 2; end;
  rule x > 2 & z = 0 & f(n) ==> begin x := 0; end;
end;
