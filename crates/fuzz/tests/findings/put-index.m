-- unsafe; `put` of an element that is not there
var
  x: 0..3;
  a: array [0..1] of 0..3;
startstate
  x := 0;
  a[0] := 0;
  a[1] := 0;
end;
rule "up" x < 2 ==> x := x + 1; end;
rule "show" put a[x]; end;
invariant "nothing" true;
