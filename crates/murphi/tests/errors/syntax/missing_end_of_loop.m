var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
procedure p();
begin
  for i := 0 to 3 do
    while x < i do
      x := x + 1;
    end;
end;

rule "r" begin p(); end;
