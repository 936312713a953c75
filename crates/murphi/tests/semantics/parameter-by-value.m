-- rumur: ok, 2 states, 1 rules fired
-- A parameter by value does not follow its argument.

var x: 0..3; y: 0..3;
procedure p(z: 0..3); begin x := z + 1; y := z; end;
startstate begin x := 0; y := 0; end;
rule x = 0 ==> begin p(x); end;
invariant "value" x = 0 | y = 0;
