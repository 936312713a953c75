-- safe; proved; a quantifier whose effects are the same wherever it stops
type P: scalarset(5);
var x: 0..3;
function low(i: 0..4): boolean;
begin
  x := 1;
  return i < 3;
end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    if forall i: 0..4 do low(i) end then x := 3; end;
    assert x = 1;
  end;
end;
invariant "nothing" x < 3;
