-- cmurphi: ok, 8 states, 12 rules fired
-- Unions index arrays.

type S: scalarset (2); E: enum { H }; N: union { S, E };
var n: N; s: S; b: boolean; a: array [N] of 0..1;
startstate begin n := H; for i: N do a[i] := 0; end; end;
ruleset i: S do rule a[i] = 0 ==> begin a[i] := 1; end; end;
rule a[H] = 0 ==> begin a[H] := 1; end;
