-- unsafe; an assumption in a label that a switch does not come to
type P: scalarset(5);
var x: 0..3; y: 0..3;
function label(i: 0..3): 0..3;
begin
  assume x != 0 | i = 1;
  return i;
end;
startstate x := 0; y := 1; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    switch y
    case label(1), label(2): x := 3;
    end;
  end;
end;
invariant "nothing" x < 3;
