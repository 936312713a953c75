-- unsafe; a value was chosen once for all values of a bound variable, which may differ
type P: scalarset(5);
var x: 0..3;
function any(): boolean;
var r: boolean;
begin
  havoc r;
  return r;
end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    if (exists q: P do any() end) & !(forall q: P do any() end) then x := 2; end;
    if (exists p: P do exists q: P do any() end end) then x := x + 1; end;
  end;
end;
invariant "nothing" x < 3;
