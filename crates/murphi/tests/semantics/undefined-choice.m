-- rumur: undefined read, 2 states, 1 rules fired
-- Only the chosen side of `?:` is read.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule true ==> begin x := (x = 0 ? 1: y); end;
