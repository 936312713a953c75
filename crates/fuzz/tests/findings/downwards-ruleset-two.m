-- unsafe; a ruleset that goes down beside one that goes up
type P: scalarset(5);
var x: 0..9;
startstate x := 9; end;
ruleset j := 0 to 4 by 2; i := 4 to 0 by -2 do
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 9 & i = j + 2 ==> x := i; end;
end;
end;
invariant "nothing" x != 4;
