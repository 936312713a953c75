-- rumur: ok, 2 states, 1 rules fired
-- Aliases around properties.

var i: 0..1; a: array [0..1] of 0..1;
startstate begin i := 0; a[0] := 0; a[1] := 1; end;
rule i = 0 ==> begin i := 1; end; alias q: a[i]; s: i + 0 do
 invariant "same" q = s;
end;
