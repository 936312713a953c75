-- rumur: ok, 2 states, 1 rules fired
-- Undefined parts of records equal each other.

var a: record p: 0..3; q: 0..3; end; b: record p: 0..3; q: 0..3; end;
startstate begin a.p := 1; b.p := 1; end;
rule a = b ==> begin a.p := 2; end;
