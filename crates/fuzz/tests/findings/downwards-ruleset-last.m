-- unsafe; a ruleset that goes down to its end
type P: scalarset(5);
var x: 0..9;
startstate x := 9; end;
ruleset i := 7 to 1 by -3 do
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 9 ==> x := i; end;
end;
end;
invariant "nothing" x != 1;
