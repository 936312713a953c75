-- unsafe; polynomials of the degree 2 to the power of 32, with which Z3 went on for minutes, deaf to interrupts
type
  NODE: scalarset(2);
  SMALL: -2..2;
var
  count: SMALL;
  total: integer;
  used: array [NODE] of boolean;
  numbers: array [NODE] of integer;
  wrong: boolean;

startstate
  count := 2;
  total := 0;
  wrong := false;
  for n: NODE do
    used[n] := false;
    numbers[n] := 0;
  end;
end;

ruleset n: NODE do
  rule "go round"
    true
  ==>
  begin
    while count > 0 do
      count := count - 1;
      if used[n] then
        numbers[n] := 1;
      end;
      total := total * total + total;
    end;
    if total < 0 & count < 0 then
      wrong := true;
    end;
  end;
end;

ruleset n: NODE do
  rule "use"
    !used[n]
  ==>
  begin
    used[n] := true;
    count := 2;
    numbers[n] := 2;
  end;
end;

invariant "right" !wrong;
invariant "in use" forall n: NODE do used[n] -> numbers[n] > 1 end;
