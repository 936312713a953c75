-- unsafe; one element was chosen for all rounds of a loop inside of a quantifier
type P: scalarset(5);
var x: 0..3; m: array [P] of P;
function found(q: P): P;
var r: P;
begin
  for i: P do if m[i] = q then r := i; end; end;
  return r;
end;
startstate x := 0; for p: P do m[p] := p; end; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    if forall q: P do m[found(q)] = q end then x := 3; end;
  end;
end;
invariant "nothing" x < 3;
