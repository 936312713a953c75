-- rumur: ok, 2 states, 2 rules fired
-- Records are copied with their undefined parts.

var a: record p: 0..3; q: 0..3; end; b: record p: 0..3; q: 0..3; end;
startstate begin a.p := 1; end;
rule true ==> begin b := a; end;
