-- rumur: invariant, 1 states, 1 rules fired
-- The value is computed before the place.

var i: 0..1; a: array [0..1] of 0..1;
function f(): 0..1; begin i := 1; return 1; end;
startstate begin i := 0; a[0] := 0; a[1] := 0; end;
rule i = 0 ==> begin a[i] := f(); end;
invariant "lhs - first" a[1] = 0;
