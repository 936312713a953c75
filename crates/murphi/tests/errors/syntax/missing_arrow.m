var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "no arrow" x = 1
begin
  y := 1;
end;
rule "wrong arrow" x = 1 => begin
  y := 2;
end;
rule "statement after guard" x = 1
  y := 2;
end;
