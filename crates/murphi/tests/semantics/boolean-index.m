-- rumur: ok, 2 states, 1 rules fired
-- Booleans index arrays.

var a: array [boolean] of 0..1;
startstate begin for b: boolean do a[b] := 0; end; end;
rule a[true] = 0 ==> begin a[1 = 1] := 1; end;
