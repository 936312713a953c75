-- rumur: ok, 3 states, 2 rules fired
-- Operators on the bits of numbers.

var x: 0..15; y: -20..20;
startstate begin x := 6; y := 0; end;
rule x = 6 ==> begin y := (x & 3) + (x | 1) + (x ^ 5); x := 7; end;
rule x = 7 ==> begin y := (1 << 3) + (12 >> 2) + (1 << -1) + (3 >> -1); x := 8; end;
invariant "bits" (x = 7 -> y = 12) & (x = 8 -> y = 17);
