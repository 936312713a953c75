-- rumur: ok, 1 states, 1 rules fired
-- `clear` gives every part the first value of its type.

type E: enum { A, B };
var x: 2..3; e: E; b: boolean; r: record q: array [0..1] of -1..1; end;
startstate begin clear x; clear e; clear b; clear r; end;
rule x = 2 & e = A & !b & r.q[1] = -1 ==> begin end;
