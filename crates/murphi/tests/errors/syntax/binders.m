var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" begin
  for i = 0 to 3 do x := i; end;
  for i in 0..3 do x := i; end;
  for i := 0 .. 3 do x := i; end;
  for do x := 1; end;
  for i, j: 0..3 do x := i; end;
end;
ruleset i, j: 0..3 do
  rule begin x := i; end;
end;
invariant forall i 0..3 do x = i end;
