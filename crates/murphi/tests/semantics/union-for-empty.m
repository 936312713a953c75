-- cmurphi: ok, 2 states, 1 rules fired
-- With unions or multisets in the file, CMurphi has the word: this loop does not count down.

type S: scalarset (2); E: enum { H }; N: union { S, E };
var n: N; s: S; b: boolean; x: 0..3; y: 0..3;
startstate begin x := 0; y := 3; end;
rule x = 0 ==> begin for i := 1 to x do y := i; end; x := 1; end;
invariant "untouched" y = 3;
