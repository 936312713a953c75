-- cmurphi: ok, 9 states, 18 rules fired
-- Members of a union and the union convert into each other.

type S: scalarset (2); E: enum { H }; N: union { S, E };
var n: N; s: S; b: boolean;
startstate begin n := H; undefine s; b := false; end;
ruleset i: S do rule n = H ==> begin n := i; end; end;
rule ismember(n, S) ==> begin s := n; end;
rule n != H ==> begin n := H; end;
