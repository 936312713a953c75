var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" begin
  x := 1;
  var z: boolean;
  z := true;
end;
ruleset i: 0..3 do
  function f(): boolean; begin return true; end;
  rule f() ==> begin x := i; end;
end;
