-- rumur: ok, 2 states, 1 rules fired
-- The index of an alias is computed once, where the alias is reached.

var i: 0..1; a: array [0..1] of 0..1;
startstate begin i := 0; a[0] := 0; a[1] := 0; end;
rule i = 0 ==> begin alias q: a[i] do i := 1; q := 1; end; end;
invariant "first" a[1] = 0;
