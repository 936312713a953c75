-- rumur: invariant, 4 states, 5 rules fired
-- A property in a ruleset holds for all its values.

var a: array [0..2] of boolean;
startstate begin for i: 0..2 do a[i] := false; end; end;
ruleset i: 0..2 do
  rule i = 0 -> a[2] ==> begin a[i] := true; end;
  invariant "not the first" i = 0 -> !a[i];
end;
