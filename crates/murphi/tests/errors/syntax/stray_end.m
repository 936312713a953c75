var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
end;
rule "s" begin x := 2; end;
endrule;
