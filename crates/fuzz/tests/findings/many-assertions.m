-- safe; assertions about formulas that share most of their parts were simplified one by one, deaf to the time limit
type
  NODE: scalarset(2);
  COLOUR: enum { red, green, blue };
  SMALL: -2..2;
  WIDE: -6..6;
var
  fine: boolean;
  count: SMALL;
  total: WIDE;
  chosen: NODE;
  numbers: array [NODE] of SMALL;

startstate
  fine := true;
  count := 1;
  total := 3;
  undefine chosen;
  for n: NODE do
    numbers[n] := 0;
  end;
end;

ruleset n: NODE; k: COLOUR do
  rule "go round"
    (total * count) % 7 > total
  ==>
  begin
    while count > 0 do
      count := count - 1;
      numbers[n] := (-2 % ((count % (total = 0 ? 3 : total)) = 0 ? 3 : (count % (total = 0 ? 3 : total)))) % 3;
      count := (-2 - ((numbers[n] * total) % 7)) % 3;
    end;
  end;
end;

rule "turn"
  true
==>
begin
  total := (total + count) % 7;
end;

invariant "fine" fine;
