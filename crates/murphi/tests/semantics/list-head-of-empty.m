-- by hand: empty list, 1 states, 0 rules fired
-- The empty list has no head.

var q: list of 0..1; x: 0..1;
startstate begin q := []; x := 0; end;
rule true ==> begin x := head(q); end;
