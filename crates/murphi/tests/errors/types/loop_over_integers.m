var x: integer;
startstate
  for i: integer do x := i; end;
  for i: list of boolean do x := 0; end;
end;
