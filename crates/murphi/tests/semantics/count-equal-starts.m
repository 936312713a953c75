-- rumur: ok, 2 states, 0 rules fired
-- Starts that give the same state count once, and never as rules fired.

var x: 0..3;
startstate "a" begin x := 0; end;
startstate "b" begin x := 0; end;
startstate "c" begin x := 1; end;
rule x = 3 ==> begin end;
