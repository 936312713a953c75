-- safe; proved; what may go wrong in a function that a quantifier over a type of any size calls, and does not
type P: scalarset(5);
var x: 0..3; m: array [0..1] of boolean;
function get(q: P): boolean;
begin
  return m[x];
end;
startstate x := 0; clear m; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & true ==>
    if x < 2 & forall q: P do get(q) end then x := 3; end;
  end;
end;
invariant "nothing" x < 3;
