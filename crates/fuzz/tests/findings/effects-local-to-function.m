-- safe; proved; a function in a quantifier over a type of any size may change its own variables
type P: scalarset(5);
var x: 0..3;
function same(p: P; q: P): boolean;
var r: 0..3;
begin
  r := 0;
  if p = q then r := r + 1; end;
  return r = 1;
end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    if forall q: P do same(a, q) end then x := 3; end;
  end;
end;
invariant "nothing" x < 3;
