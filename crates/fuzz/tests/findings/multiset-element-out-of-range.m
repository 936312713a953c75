-- unsafe; in proofs, an element outside of its range could be put into a multiset
type
  SMALL: 0..2;
var
  numbers: multiset [1] of SMALL;
  number: SMALL;
startstate
  undefine numbers;
  number := 0;
end;
rule "count" number < 2 ==> number := number + 1; end;
rule "put" multisetcount(i: numbers, true) = 0 ==> multisetadd(number + 1, numbers); end;
