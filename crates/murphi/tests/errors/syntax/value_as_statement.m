var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" begin
  x;
  x + 1;
  3;
  "text";
  b y := 1;
end;
