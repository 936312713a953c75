-- cmurphi: ok, 16 states, 25 rules fired
-- All enabled rules of the least number fire, whatever their order in the file.

var x: 0..3; y: 0..3; turn: boolean;
startstate begin x := 0; y := 0; turn := false; end;
rule 7 "turn" begin turn := !turn; x := 0; y := 0; end;
rule 3 "x" turn & x < 3 & y < 3 ==> begin x := x + 1; end;
rule 3 "y" turn & x < 3 & y < 3 ==> begin y := y + 1; end;
