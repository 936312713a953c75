-- safe; proved; each round of a loop chooses for itself
type P: scalarset(5);
var x: 0..3; m: array [P] of P;
startstate x := 0; for q: P do m[q] := q; end; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    var r: P;
    begin
    for q: P do havoc r where r = q; m[q] := r; end;
  end;
end;
invariant "own" forall q: P do m[q] = q end;
