-- rumur: ok, 2 states, 1 rules fired
-- The same for aliases around rules.

var i: 0..1; a: array [0..1] of 0..1;
startstate begin i := 0; a[0] := 0; a[1] := 0; end; alias q: a[i] do
 rule i = 0 ==> begin i := 1; q := 1; end;
end;
invariant "first" a[1] = 0;
