var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" begin
  if b then x := 1; end if;
  while b do b := false; end while;
end rule;
