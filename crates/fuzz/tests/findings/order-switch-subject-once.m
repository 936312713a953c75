-- unsafe; what a switch is about is computed once, before its labels
type P: scalarset(5);
var x: 0..3; y: 0..3;
function set(i: 0..3): 0..3;
begin
  y := i;
  return 0;
end;
startstate x := 0; y := 1; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    switch y
    case set(2): x := 0;
    case 2: x := 1;
    case 1: x := 3;
    end;
  end;
end;
invariant "nothing" x < 3;
