-- safe; proved; names that look like those of elements, and are not
const N: 5;
type P: 0..N-1;
var P_1: P; P_0: P; x: boolean;
startstate P_1 := 1; P_0 := 0; x := false; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & a != 0 ==> P_1 := a; x := !x; end;
end;
invariant "another" P_1 != 0 & P_0 = 0 & P_0 != P_1;
