-- rumur: ok, 1 states, 1 rules fired
-- Assigning the variable of a loop changes a copy.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule x = 0 ==> begin for i: 0..3 do i := 0; end; end;
