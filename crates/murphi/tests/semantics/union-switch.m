-- cmurphi: ok, 2 states, 2 rules fired
-- `switch` on a union.

type S: scalarset (2); E: enum { H }; N: union { S, E };
var n: N; s: S; b: boolean;
startstate begin n := H; end;
rule true ==> begin switch n case H: b := true; else b := false; end; end;
