-- safe; proved; an element is named by a constant: the claim is about three elements and more
const N: 3; HOME: 2;
type Q: scalarset(5); P: 0..N-1;
var x: boolean; p: P;
startstate x := false; for i: P do p := i; end; end;
ruleset a: Q; b: Q; c: Q; d: Q do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d ==> p := HOME; x := true; end;
end;
invariant "home" x -> p = HOME;
