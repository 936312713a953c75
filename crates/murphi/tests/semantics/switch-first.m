-- rumur: ok, 2 states, 1 rules fired
-- The first case that fits is taken, and no other.

var x: 0..3;
startstate begin x := 0; end;
rule x = 0 ==> begin switch x case 0, 1: x := 1; case 1: x := 3; else x := 2; end; end;
invariant "v" x < 2;
