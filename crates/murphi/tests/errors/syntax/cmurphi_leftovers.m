var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
externfun cube(n: 0..7): 0..7 "cube.h";
rule 5 "first" begin
  x := cube(y);
  liveness b;
end;
pctl [ b until <= 3 b ] >= 0.5;
