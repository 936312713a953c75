var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" (x = 1 & (y = 2) ==> begin
  x := (x + 1;
  y := (x + 1)) * 2;
  if (b then x := 1; end;
end;
invariant ((x = 1) -> b;
