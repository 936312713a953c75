var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" begin
  alias z x; w: y. .z; v: y do
    v := 1;
  end;
  alias z: x, w: y do z := w; end;
end;
