-- safe; proved; only the property names element 2
const N: 3;
type P: 0..N-1;
var m: array [P] of boolean;
startstate for i: P do m[i] := false; end; end;
ruleset i: P do rule "go" m[i] := !m[i]; end; end;
invariant "nothing" m[2] | !m[2];
