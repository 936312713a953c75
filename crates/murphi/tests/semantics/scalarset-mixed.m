-- rumur: ok, 1 states, 1 rules fired
-- Scalarsets of one size mix.

type S: scalarset(3); R: scalarset(3);
var s: S; r: R;
startstate begin clear s; clear r; end;
rule s = r ==> begin end;
