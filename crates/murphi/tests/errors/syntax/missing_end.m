var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "first"
  b
==>
begin
  if x = 1 then
    y := 2;
end;

rule "second" begin
  x := 2;
end;
