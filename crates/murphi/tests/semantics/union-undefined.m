-- cmurphi: ok, 1 states, 1 rules fired
-- Undefined union values differ from all others and belong to no member.

type S: scalarset (2); E: enum { H }; N: union { S, E };
var n: N; s: S; b: boolean;
startstate begin undefine n; undefine s; b := false; end;
rule ismember(n, S) | n = H | n = s & !isundefined(s) ==> begin b := true; end;
rule n != H ==> begin b := b; end;
