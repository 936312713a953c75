-- rumur: out of range, 3 states, 2 rules fired
-- An argument outside the type of its parameter is an error.

var x: 0..3; y: 0..3;
procedure p(z: 0..2); begin x := z; end;
startstate begin x := 0; end;
rule x < 2 ==> begin p(x + 1); end;
rule x = 2 ==> begin y := 3; p(y); end;
