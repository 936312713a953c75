-- rumur: error, 1 states, 0 rules fired
-- A step of 0 that comes up at run time is an error.

var x: 0..3;
startstate begin x := 0; end;
rule true ==> begin for i := 0 to 3 by x do end; end;
