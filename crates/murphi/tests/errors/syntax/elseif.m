var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" begin
  if x = 1 then
    y := 1;
  elseif x = 2 then
    y := 2;
  elif x = 3 then
    y := 3;
  else
    y := 4;
  end;
end;
