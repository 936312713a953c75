-- rumur: ok, 2 states, 1 rules fired
-- Left sides decide first.

var b: boolean; x: 0..3;
startstate begin x := 0; end;
rule x = 0 & (x = 1 -> b) & (x = 0 | b) & !(x = 1 & b) ==> begin x := 1; end;
