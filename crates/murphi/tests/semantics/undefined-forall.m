-- rumur: undefined read, 2 states, 1 rules fired
-- A quantifier stops at the first value that decides it.

var a: array [0..2] of 0..1;
startstate begin a[0] := 0; end;
rule exists i: 0..2 do a[i] = 0 end ==> begin a[0] := 1; end;
rule !forall i: 0..2 do a[i] = 0 end ==> begin a[0] := 0; end;
