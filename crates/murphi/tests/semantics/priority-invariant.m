-- cmurphi: ok, 6 states, 8 rules fired
-- The invariant rests on the priorities.

type P: 1..2;
var busy: array[P] of boolean; used: boolean;
startstate begin for p: P do busy[p] := false; end; used := false; end;
ruleset p: P do
  rule 2 "enter" !busy[p] ==> begin busy[p] := true; end;
  rule 1 "leave" busy[p] ==> begin busy[p] := false; used := true; end;
end;
invariant "one" !(busy[1] & busy[2]);
