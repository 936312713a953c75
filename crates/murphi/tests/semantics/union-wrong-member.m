-- by hand: out of range, 1 states, 0 rules fired
-- A union value of another member cannot become one of this member.

type S: scalarset (2); E: enum { H }; N: union { S, E };
var n: N; s: S; b: boolean;
startstate begin n := H; undefine s; b := false; end;
rule true ==> begin s := n; end;
