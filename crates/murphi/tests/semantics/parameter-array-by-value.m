-- rumur: ok, 2 states, 1 rules fired
-- An array by value is a copy.

type A: array [0..1] of 0..3;
var a: A; x: 0..3;
procedure p(b: A); begin a[0] := 3; x := b[0]; end;
startstate begin a[0] := 1; a[1] := 2; x := 0; end;
rule x = 0 ==> begin p(a); end;
invariant "copy" x <= 1;
