var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" x <> 1 and not b or y =< 2 ==> begin
  x += 1;
  y := x mod 2;
  b := x = 1 => y = 2;
end;
