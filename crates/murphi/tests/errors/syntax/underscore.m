var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
var _x: boolean;
rule "r" begin _x := true; end;
