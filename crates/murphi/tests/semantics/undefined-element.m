-- rumur: ok, 2 states, 1 rules fired
-- `isundefined` looks at a part of an array.

var a: array [0..1] of 0..1;
startstate begin end;
rule isundefined(a[0]) ==> begin a[0] := 1; end;
