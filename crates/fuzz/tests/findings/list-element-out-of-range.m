-- unsafe; in proofs, an element outside of its range could be appended to a list
type
  SMALL: 0..2;
var
  numbers: list of SMALL;
  number: SMALL;
startstate
  numbers := [];
  number := 0;
end;
rule "count" number < 2 ==> number := number + 1; end;
rule "put" empty(numbers) ==> numbers := append(numbers, number + 1); end;
