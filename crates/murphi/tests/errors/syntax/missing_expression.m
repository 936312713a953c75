var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" x = ==> begin
  x := ;
  y := 1 + ;
  y := * 2;
  if then x := 1; end;
  x := (1 + );
  b := !;
end;
invariant "nothing";
