var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule "r" x := 1 & b ==> begin
  if y := 2 then b := (x := 3); end;
  while x := 2 do x := 3; end;
  assert x := 1;
end;
invariant x := 1 -> b;
