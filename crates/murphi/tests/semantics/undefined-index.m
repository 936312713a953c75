-- rumur: undefined read, 1 states, 0 rules fired
-- An undefined index is an error.

var i: 0..1; a: array [0..1] of 0..1;
startstate begin end;
rule true ==> begin a[i] := 0; end;
