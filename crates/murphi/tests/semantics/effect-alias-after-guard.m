-- rumur: ok, 2 states, 1 rules fired
-- Aliases around a rule are looked up again for its body.

var i: 0..1; a: array [0..1] of 0..1;
function f(): boolean; begin i := 1; return true; end;
startstate begin i := 0; a[0] := 0; a[1] := 0; end;
alias q: a[i] do
  rule i = 0 & f() ==> begin q := 1; end;
end;
invariant "second" a[0] = 0;
