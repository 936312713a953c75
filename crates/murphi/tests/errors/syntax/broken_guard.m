var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" x = 1 & forall i 0..3 do y = i end ==> begin
  x := 2;
end;
rule "s" = 1 & b ==> var z: boolean; begin
  z := true;
end;
rule "t" x = 1) & b ==> begin
  y := 1;
end;
