-- rumur: ok, 2 states, 1 rules fired
-- Two `var` parameters may be the same variable.

var x: 0..3; y: 0..3;
procedure p(var z: 0..3; var w: 0..3); begin z := 1; w := z + 1; end;
startstate begin x := 0; end;
rule x = 0 ==> begin p(x, x); end;
invariant "i" x = 0 | x = 2;
