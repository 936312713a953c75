-- safe; proved; a ruleset that goes down leaves out what is between its steps, and what is beyond its ends
type P: scalarset(5);
var x: 0..9;
startstate x := 9; end;
ruleset i := 7 to 2 by -2 do
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & true ==> x := i; end;
end;
end;
invariant "odd" x % 2 = 1 & x > 1;
