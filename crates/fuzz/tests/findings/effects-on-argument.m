-- unsafe; refused; a quantifier over a type of any size that changes a variable of the caller
type P: scalarset(5);
var x: 0..3; n: 0..5;
function add(var v: 0..5; q: P): boolean;
begin
  if v < 5 then v := v + 1; end;
  return true;
end;
startstate x := 0; n := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & n = 0 ==>
    assert forall q: P do add(n, q) end;
  end;
end;
invariant "few" n < 4;
