-- safe; proved; a switch with labels that have effects
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
    x := 1;
    switch y
    case label(0): x := 3;
    case label(1), label(2): assert x = 1;
    else x := 3;
    end;
  end;
end;
invariant "nothing" x < 3;
