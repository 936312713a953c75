var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
x := 1;
y := 2;
rule "r" begin x := y; end;
if b then x := 2; end;
rule "s" begin x = y; end;
