-- rumur: ok, 2 states, 1 rules fired
-- Quantifiers take steps too.

var x: 0..3; a: array [0..6] of boolean;
startstate begin x := 0; for i: 0..6 do a[i] := i % 3 = 0; end; end;
rule x = 0 & forall i := x to 6 by 3 do a[i] end ==> begin x := 1; end;
rule x = 1 & exists i := x to 6 by 3 do a[i] end ==> begin x := 2; end;
