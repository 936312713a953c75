-- unsafe; an assumption right of an and that is not looked at
type P: scalarset(5);
var x: 0..3;
function ask(): boolean;
begin
  assume x = 1;
  return true;
end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    if x = 0 | ask() then x := x + 1; end;
    if x = 1 & (x = 0 & ask()) then x := 0; else x := 3; end;
  end;
end;
invariant "nothing" x < 3;
