-- safe; proved; element 2 is named: there is no such type of one or two elements, and no claim about it
const N: 3;
type Q: scalarset(5); P: 0..N-1;
var x: boolean; s: array [P] of boolean;
startstate x := false; for i: P do s[i] := false; end; end;
ruleset a: Q; b: Q; c: Q; d: Q do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d ==> s[2] := true; end;
end;
invariant "only two" forall i: P do s[i] -> i = 2 end;
