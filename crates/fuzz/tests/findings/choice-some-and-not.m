-- unsafe; whether a value that is chosen for each element is true of one and not of another
type P: scalarset(5);
var x: 0..3; m: array [P] of boolean;
function any(): boolean;
var r: boolean;
begin
  havoc r;
  return r;
end;
startstate x := 0; clear m; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    if (exists q: P do q = a & any() end) != (exists q: P do q = b & any() end) then x := 2; end;
  end;
end;
rule "each" x = 2 & !forall q: P do m[q] = any() end ==> x := 3; end;
invariant "nothing" x < 3;
