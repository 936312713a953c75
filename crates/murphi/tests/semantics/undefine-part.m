-- rumur: ok, 2 states, 1 rules fired
-- `undefine` on a part of a record.

var r: record p: 0..1; q: 0..1; end;
startstate begin clear r; end;
rule !isundefined(r.p) ==> begin undefine r.p; end;
