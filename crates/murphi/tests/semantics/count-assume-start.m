-- rumur: ok, 1 states, 1 rules fired
-- A global `assume` rules out starts too.

var x: 0..3;
startstate begin x := 0; end;
startstate begin x := 2; end;
rule x < 3 ==> begin x := x + 1; end;
assume "a" x < 1;
