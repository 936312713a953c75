-- unsafe; a property for each of what goes down held for none
type P: scalarset(5);
var x: 0..9;
startstate x := 9; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 9 ==> x := 2; end;
end;
ruleset i := 4 to 0 by -2 do
  invariant "nothing" x != i;
end;
