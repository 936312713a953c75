-- safe; proved; a ruleset that goes up from a negative number
type P: scalarset(5);
var x: 0..9;
startstate x := 9; end;
ruleset i := -3 to 4 by 3 do
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & i >= 0 ==> x := i; end;
end;
end;
invariant "some" x = 9 | x = 0 | x = 3;
