-- by hand: ok, 2 states, 1 rules fired
-- A constant range that runs the wrong way is empty: CMurphi says so, Rumur rejects it.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule x = 0 ==> begin y := 1; for i := 1 to 0 do y := i; end; x := 1; end;
invariant "untouched" x = 0 | y = 1;
