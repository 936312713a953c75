-- unsafe; quantifiers in each other stop at the first that is false
type P: scalarset(5);
var x: 0..3;
function step(i: 0..4): boolean;
begin
  if i = 2 then x := 0; end;
  return i < 1;
end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    x := 3;
    if forall i: 0..1; j: 0..2 do step(i + j) end then x := 0; end;
  end;
end;
invariant "nothing" x < 3;
