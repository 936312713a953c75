var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" begin
  error;
  error x;
  put ;
  clear 3;
  undefine;
end;
