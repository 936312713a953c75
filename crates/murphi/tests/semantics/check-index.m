-- rumur: index out of bounds, 1 states, 0 rules fired
-- An index outside the array is an error.

var x: 0..3; a: array [0..1] of 0..1;
startstate begin x := 3; end;
rule true ==> begin a[x] := 0; end;
