-- safe; proved; elements 0 and 3 are named: the claim is about four elements and more
const N: 4;
type Q: scalarset(5); P: 0..N-1;
var x: boolean; p: P; q: P;
startstate x := false; for i: P do p := i; q := i; end; end;
ruleset a: Q; b: Q; c: Q; d: Q do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d ==> p := 0; q := 3; x := true; end;
end;
invariant "different" x -> p != q;
