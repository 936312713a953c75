-- rumur: ok, 2 states, 1 rules fired
-- An alias of an expression is its value at that moment.

var x: 0..3; y: 0..3;
startstate begin x := 0; y := 0; end;
rule x = 0 ==> begin alias q: x + 1 do x := 2; y := q; end; end;
invariant "v" x = 0 | y = 1;
