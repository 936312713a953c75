-- rumur: ok, 2 states, 1 rules fired
-- A `var` parameter is the element that the index meant at the call.

var i: 0..1; a: array [0..1] of 0..3;
procedure p(var z: 0..3); begin i := 1; z := 3; end;
startstate begin i := 0; a[0] := 0; a[1] := 0; end;
rule i = 0 ==> begin p(a[i]); end;
invariant "first" a[1] = 0;
