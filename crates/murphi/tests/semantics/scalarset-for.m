-- rumur: ok, 1 states, 1 rules fired
-- A loop over a scalarset runs in order.

type S: scalarset(3);
var s: S;
startstate begin for i: S do s := i; end; end;
rule true ==> begin end;
