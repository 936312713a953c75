-- unsafe; one element was chosen for all pairs of values of two bound variables
type P: scalarset(5);
var x: 0..3;
function first_of(p: P; q: P): P;
var r: P;
begin
  for i: P do if i = p then r := i; end; end;
  if r = p then return q; end;
  return p;
end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    if forall p: P; q: P do first_of(p, q) = q end then x := 3; end;
  end;
end;
invariant "nothing" x < 3;
