var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" begin
  for i := 0 to 3 do
    x := i;
  endif;
  while b do
    x := 1;
  endrule;
end;
