-- cmurphi: ok, 3 states, 2 rules fired
-- With unions or multisets in the file, undefined values may be copied.

type S: scalarset (2); E: enum { H }; N: union { S, E };
var n: N; s: S; b: boolean; x: 0..3; y: 0..3;
startstate begin x := 0; n := H; end;
rule !isundefined(x) ==> begin x := y; end;
rule isundefined(x) & n = H ==> begin n := s; end;
