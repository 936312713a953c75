-- rumur: ok, 2 states, 1 rules fired
-- Cases need not be constants.

var x: 0..3; y: 0..3;
startstate begin x := 0; y := 0; end;
rule x = 0 ==> begin switch x case y + 1: x := 2; case y: x := 1; end; end;
invariant "v" x < 2;
