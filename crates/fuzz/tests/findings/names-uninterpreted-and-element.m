-- unsafe; a symbol P_1 of which nothing is known was the element 1 of P
const N: 5;
type P: 1..N;
uninterpreted P_1: P;
var bad: boolean;
startstate bad := false; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & P_1 != 1 ==> bad := true; end;
end;
invariant "nothing" !bad;
