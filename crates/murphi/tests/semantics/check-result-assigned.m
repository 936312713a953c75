-- rumur: out of range, 1 states, 0 rules fired
-- What a function returns is checked when it is assigned.

var x: 0..3;
function f(): 0..3; begin return x + 5; end;
startstate begin x := 0; end;
rule true ==> begin x := f(); end;
