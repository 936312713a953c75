-- rumur: ok, 2 states, 2 rules fired
-- The sign binds closer than the product.

var x: -9..9;
startstate begin x := -2 + 3; end;
rule true ==> begin x := -2*3 + 1; end;
invariant "v" x = 1 | x = -5;
