-- rumur: ok, 3 states, 3 rules fired
-- `=` and `!=` on records.

type R: record p: 0..1; end;
var a: R; b: R;
startstate begin a.p := 0; b := a; end;
rule a = b ==> begin a.p := 1; end;
rule a != b ==> begin b := a; end;
