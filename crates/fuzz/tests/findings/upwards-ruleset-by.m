-- safe; proved; a ruleset that goes up leaves out what is between its steps
type P: scalarset(5);
var x: 0..9;
startstate x := 9; end;
ruleset i := 1 to 8 by 2 do
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & true ==> x := i; end;
end;
end;
invariant "odd" x % 2 = 1;
