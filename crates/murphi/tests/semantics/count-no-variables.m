-- rumur: ok, 1 states, 1 rules fired
-- Without variables there is one state.

startstate begin end;
rule true ==> begin end;
