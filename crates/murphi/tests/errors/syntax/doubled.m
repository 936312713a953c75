var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule rule "r" x = 1 ==> ==> begin
  if if b then x := 1; end;
  for for i := 0 to 3 do x := i; end;
  x := = 2;
  x := 1 1;
  y := x x;
end;
invariant forall forall i: 0..3 do x = = i end;
