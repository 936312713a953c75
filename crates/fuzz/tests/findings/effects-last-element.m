-- unsafe; refused; the last element that a quantifier over a type of any size has looked at
type P: scalarset(5);
var x: 0..3; p: P;
function remember(q: P): boolean;
begin
  p := q;
  return true;
end;
startstate x := 0; for q: P do p := q; end; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    var y: boolean;
    begin
    y := forall q: P do remember(q) end;
    if p != a & p != b & p != c & p != d then x := 3; end;
  end;
end;
invariant "nothing" x < 3;
