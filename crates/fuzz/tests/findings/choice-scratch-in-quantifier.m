-- unsafe; what a local variable is left with by a loop was the same for all values of a bound variable
type P: scalarset(5);
var x: 0..3;
function f(p: P): P; var r: P; begin for q: P do r := p; end; return r; end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    if forall p: P do f(p) = p end then x := 3; end;
  end;
end;
invariant "nothing" x < 3;
