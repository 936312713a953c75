-- unsafe; the labels of the next case are not looked at where one fits, and they are where none does
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
    switch y
    case label(2): y := 1;
    case label(1): x := x + 3;
    end;
  end;
end;
invariant "nothing" x < 3;
