-- safe; proved; element 2 of those from 1 is named: the claim is about two elements and more
const N: 3;
type P: 1..N;
var p: P; m: array [P] of boolean;
startstate p := 1; for i: P do m[i] := false; end; end;
ruleset i: P do rule "go" i != 2 ==> p := i; m[i] := true; end; end;
invariant "not two" p != 2 & !m[2];
