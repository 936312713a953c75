var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
ruleset i: 0..3 do
  rule "r" x = i ==> begin
    y := i;
  end;
