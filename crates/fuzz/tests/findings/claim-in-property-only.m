-- safe; proved; only a property names element 2, and looks at it only where four elements of another type exist
const N: 3;
type Q: scalarset(5); P: 0..N-1;
var x: boolean; s: array [P] of boolean;
startstate x := false; for i: P do s[i] := false; end; end;
ruleset a: Q; b: Q; c: Q; d: Q do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d ==> x := true; end;
end;
invariant "nothing" x -> !s[2];
