var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" begin
  if b
    x := 1;
  end;
  while b
    b := false;
  end;
  for i := 0 to 3
    x := i;
  end;
  for i: 0..3
    x := i;
  end;
  if b = true x := 2; end;
end;
