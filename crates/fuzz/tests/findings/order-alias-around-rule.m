-- unsafe; an alias with effects around a rule is computed for the guard, and once more for the body
type P: scalarset(5);
var x: 0..3;
function inc(): 0..3; begin x := x + 1; return x; end;
startstate x := 0; end;
alias z: inc() do
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 1 ==> if x = 2 then x := 3; end; end;
end; end;
invariant "nothing" x < 3;
