-- unsafe; refused; a quantifier over a type of any size that changes a local variable
type P: scalarset(5);
var x: 0..3;
function add(var v: 0..5; q: P): boolean;
begin
  if v < 5 then v := v + 1; end;
  return true;
end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    var n: 0..5; y: boolean;
    begin
    n := 0;
    y := forall q: P do add(n, q) end;
    if n > 3 then x := 3; end;
  end;
end;
invariant "nothing" x < 3;
