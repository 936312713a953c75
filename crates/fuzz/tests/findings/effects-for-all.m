-- unsafe; refused; of the effects in a quantifier over a type of any size only one remained
type P: scalarset(5);
var x: 0..3;
function count(q: P): boolean;
begin
  if x < 3 then x := x + 1; end;
  return true;
end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    var y: boolean;
    begin
    if forall q: P do count(q) end then y := true; end;
  end;
end;
invariant "nothing" x < 3;
