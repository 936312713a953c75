-- unsafe; refused; an assumption made in a quantifier over a type of any size for elements that are not looked at
type P: scalarset(5);
var x: 0..3;
function ask(p: P; q: P): boolean;
begin
  if p != q then return false; end;
  assume x = 1;
  return true;
end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    if !forall q: P do ask(a, q) end then x := 3; end;
  end;
end;
invariant "nothing" x < 3;
