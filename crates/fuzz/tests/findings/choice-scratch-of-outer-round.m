-- unsafe; what a local variable is left with by an inner loop was the same in all rounds of the outer one
type P: scalarset(5);
var x: 0..3;m: array [P] of P;
startstate x := 0; for p: P do m[p] := p; end; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    var r: P;
    begin
    for p: P do
     for q: P do r := p; end;
     m[p] := r;
    end;
    if forall p: P do m[p] = p end then x := 3; end;
  end;
end;
invariant "nothing" x < 3;
