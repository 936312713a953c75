-- rumur: ok, 0 states, 0 rules fired
-- A model without starts has no states.

var x: 0..3;
rule true ==> begin x := 1; end;
