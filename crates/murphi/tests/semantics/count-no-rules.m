-- rumur: ok, 1 states, 0 rules fired
-- A model without rules has the states of its starts.

var x: 0..3;
startstate begin x := 0; end;
