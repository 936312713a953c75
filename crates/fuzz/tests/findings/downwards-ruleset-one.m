-- unsafe; a ruleset that goes down by one had no instances
type P: scalarset(5);
var x: 0..9;
startstate x := 9; end;
ruleset i := 4 to 1 by -1 do
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 9 ==> x := i; end;
end;
end;
invariant "nothing" x > 1;
