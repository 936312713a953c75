-- safe; proved; element 2 is named: there is no such type of one or two elements, and no claim about it
const N: 3;
type P: 0..N-1;
var s: array [P] of boolean; p: P;
startstate for i: P do s[i] := false; end; p := 2; end;
rule "on" s[2] := true; end;
ruleset i: P do rule "go" s[2] ==> p := i; end; end;
invariant "only two" forall i: P do s[i] -> i = 2 end;
