var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
// The rule:
rule "r" begin
  x := 1; // one
end;
