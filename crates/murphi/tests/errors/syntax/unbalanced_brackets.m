var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
var a: array [0..3 of boolean;
    c: enum { red, green;
rule "r" begin
  a[0 := true;
  a[0]] := true;
  x := a[1;
end;
