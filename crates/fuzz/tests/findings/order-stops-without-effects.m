-- safe; proved; quantifiers, labels and operators stop where they must, and what comes after cannot go wrong
type P: scalarset(5);
var x: 0..3; m: array [0..3] of boolean;
function at(i: 0..9): boolean;
begin
  return m[i];
end;
startstate x := 0; for i: 0..3 do m[i] := i < 2; end; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    if forall i: 0..9 do at(i) end then x := 3; end;
    if exists i: 0..9 do at(i) end & (x > 3 & at(9) | x < 4 | at(9)) then x := 1; end;
  end;
end;
invariant "nothing" x < 3;
