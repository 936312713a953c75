var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" begin
  if b then begin
    x := 1;
  end;
  for i := 0 to 3 do begin
    x := i;
  end;
end;
