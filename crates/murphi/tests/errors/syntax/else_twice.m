var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" begin
  if b then x := 1; else x := 2; elsif x = 1 then x := 3; else x := 4; end;
  else x := 5;
  case 3: x := 6;
end;
