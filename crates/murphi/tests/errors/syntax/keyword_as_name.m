var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
var rule: boolean;
  end: boolean;
procedure put(); begin end;
rule "r" begin
  type := 1;
  x := to;
end;
