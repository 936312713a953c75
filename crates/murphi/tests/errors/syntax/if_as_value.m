var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" begin
  x := if b then 1 else 2 end;
  y := 3;
end;
