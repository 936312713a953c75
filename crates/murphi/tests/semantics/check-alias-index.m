-- rumur: index out of bounds, 1 states, 0 rules fired
-- The index of an alias is checked where the alias is reached, used or not.

var a: array [0..1] of 0..1; x: 0..3;
startstate begin x := 2; a[0] := 0; a[1] := 0; end;
rule true ==> begin alias q: a[x] do x := 0; end; end;
