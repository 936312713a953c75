-- unsafe; a variable P_0 was what clear gives
const N: 5;
type P: 0..N-1;
var P_0: P; q: P; bad: boolean;
startstate P_0 := 0; q := 0; bad := false; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d ==> P_0 := a; end;
end;
rule "clear" clear q; end;
rule "bad" q != P_0 ==> bad := true; end;
invariant "nothing" !bad;
