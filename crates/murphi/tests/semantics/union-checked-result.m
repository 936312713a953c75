-- cmurphi: out of range, 1 states, 0 rules fired
-- With unions or multisets in the file, results of functions are checked.

type S: scalarset (2); E: enum { H }; N: union { S, E };
var n: N; s: S; b: boolean; x: 0..3;
function f(): 0..3; begin return x + 5; end;
startstate begin x := 0; end;
rule f() = 5 ==> begin x := 1; end;
