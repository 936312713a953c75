-- safe; proved; element 2 of those from 1 is named: the claim is about two elements and more
const N: 3;
type Q: scalarset(5); P: 1..N;
var x: boolean; p: P;
startstate x := false; for i: P do p := i; end; end;
ruleset a: Q; b: Q; c: Q; d: Q do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d ==> p := 2; x := true; end;
end;
invariant "two" x -> p = 2;
