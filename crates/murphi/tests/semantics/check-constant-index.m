-- rumur: index out of bounds, 1 states, 0 rules fired
-- A constant index outside the array is an error only when it is reached.

var x: 0..3; a: array [0..1] of 0..1;
startstate begin x := 3; end;
rule true ==> begin a[3] := 0; end;
