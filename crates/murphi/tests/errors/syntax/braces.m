var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" begin
  if (x == 1) {
    y := 2;
  }
  x := 3;
end;
