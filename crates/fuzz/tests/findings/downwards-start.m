-- unsafe; a start for each of what goes down was none
type P: scalarset(5);
var x: 0..9; bad: boolean;
ruleset i := 4 to 0 by -2 do
  startstate x := i; bad := false; end;
end;
startstate x := 9; bad := false; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 2 ==> bad := true; end;
end;
invariant "nothing" !bad;
