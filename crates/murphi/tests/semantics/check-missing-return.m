-- rumur: error, 1 states, 0 rules fired
-- A function that ends without `return` is an error.

var x: 0..3; y: 0..3;
function f(): 0..3; begin if x = 1 then return 1; end; end;
startstate begin x := 0; end;
rule true ==> begin x := f(); end;
