var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" begin
  x := 2
  y := 1;
end;

invariant "small x < 7;

invariant "also small" y < 7;
