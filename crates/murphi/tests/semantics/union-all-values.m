-- cmurphi: ok, 3 states, 6 rules fired
-- A union has the values of all its members.

type S: scalarset (2); E: enum { H }; N: union { S, E };
var n: N; s: S; b: boolean;
startstate begin n := H; undefine s; b := false; end;
ruleset i: N do
 rule n != i ==> begin n := i; end;
end;
