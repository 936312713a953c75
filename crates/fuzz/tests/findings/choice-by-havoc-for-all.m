-- unsafe; refused; a value was chosen once for all values of a bound variable
type P: scalarset(5);
var x: 0..3;
function any(q: P): P;
var r: P;
begin
  havoc r where r = q;
  return r;
end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    if forall q: P do any(q) = q end then x := 3; end;
  end;
end;
invariant "nothing" x < 3;
