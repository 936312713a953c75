-- unsafe; the alias of a variable P_1 was the element 1 of P
const N: 5;
type P: 1..N;
var P_1: P; m: array [P] of boolean;
startstate P_1 := 1; for i: P do m[i] := false; end; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d ==> P_1 := a; end;
end;
rule "mark" alias z: P_1 do m[z] := true; end; end;
invariant "only one" forall i: P do m[i] -> i = P_1 | i = 1 end;
invariant "the same" m[P_1] -> m[1];
