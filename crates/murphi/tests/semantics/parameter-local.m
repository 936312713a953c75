-- rumur: ok, 2 states, 1 rules fired
-- A `var` parameter may be a local variable.

var x: 0..3;
procedure p(var z: 0..3); begin z := z + 1; end;
startstate begin x := 0; end;
rule x = 0 ==> var z: 0..3; begin z := 1; p(z); p(z); x := z; end;
invariant "three" x = 0 | x = 3;
