-- unsafe; refused; the bound variable escaped with what a quantifier does to each element
type P: scalarset(5);
var x: 0..3; m: array [P] of boolean;
function mark(q: P): boolean;
begin
  m[q] := true;
  return true;
end;
startstate x := 0; clear m; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    if forall q: P do mark(q) end then x := 1; end;
  end;
end;
invariant "not all" exists p: P do !m[p] end;
