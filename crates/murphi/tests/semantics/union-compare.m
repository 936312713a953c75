-- cmurphi: ok, 3 states, 3 rules fired
-- A union value is compared with one of a member.

type S: scalarset (2); E: enum { H }; N: union { S, E };
var n: N; s: S; b: boolean;
startstate begin n := H; for i: S do s := i; end; b := false; end;
rule n = s ==> begin b := true; end;
rule s != n ==> begin n := s; end;
