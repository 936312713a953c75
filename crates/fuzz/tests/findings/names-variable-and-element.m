-- unsafe; a variable P_0 was the element 0 of P
const N: 5;
type P: 0..N-1;
var P_0: P; bad: boolean;
ruleset i: P do
  startstate P_0 := i; bad := false; end;
end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & P_0 != 0 ==> bad := true; end;
end;
invariant "nothing" !bad;
