var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" begin
  switch x
    y := 1;
    case 1 y := 2;
    case 2, 3: y := 3
    default: y := 4;
  end;
end;
rule "s" begin x := 1 y := 2; end;
