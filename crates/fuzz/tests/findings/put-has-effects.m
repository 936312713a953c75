-- unsafe; in proofs what `put` shows was not computed
var
  x: 0..3;
  a: array [0..1] of 0..3;
function next(): 0..3;
begin
  x := x + 1;
  return x;
end;
startstate
  x := 0;
  a[0] := 0;
  a[1] := 0;
end;
rule "show" x = 0 ==> put next() + 0; end;
invariant "never" x = 0;
