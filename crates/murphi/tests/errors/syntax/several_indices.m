var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
var m: array [boolean, 0..3] of boolean;
rule "r" begin m[b, x] := true; end;
