-- rumur: error, 1 states, 0 rules fired
-- A step that leads away is an error.

var x: 0..3;
startstate begin x := 3; end;
rule true ==> begin for i := x to 0 by 1 do end; end;
