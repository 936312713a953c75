-- safe; proved; what is the same for all values of a bound variable stays so
type P: scalarset(5);
var x: 0..3;
function pick(q: P): P;
var r: P;
begin
  for i: P do if i = q then r := i; end; end;
  return r;
end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    if exists q: P do pick(q) != q end then x := 3; end;
  end;
end;
invariant "nothing" x < 3;
