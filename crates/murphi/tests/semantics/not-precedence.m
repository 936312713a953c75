-- rumur: ok, 3 states, 5 rules fired
-- `!` binds weaker than `=`.

var x: 0..3; b: boolean;
startstate begin x := 0; b := false; end;
rule !b = true ==> begin x := 1; end;
rule ! x = 1 ==> begin x := 2; end;
