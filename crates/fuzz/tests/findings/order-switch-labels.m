-- unsafe; the labels of a switch are looked at until one fits
type P: scalarset(5);
var x: 0..3; y: 0..3;
function label(i: 0..3): 0..3;
begin
  if i = 2 then x := 0; end;
  return i;
end;
startstate x := 0; y := 1; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    x := 3;
    switch y
    case label(1), label(2): y := 1;
    else y := 0;
    end;
  end;
end;
invariant "nothing" x < 3;
