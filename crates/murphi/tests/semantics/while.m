-- rumur: ok, 2 states, 1 rules fired
-- `while`.

var x: 0..7; y: 0..7;
startstate begin x := 5; y := 0; end;
rule x > 0 ==> begin while x > 2 do x := x - 1; y := y + 1; end; x := 0; end;
invariant "three" x = 5 | y = 3;
