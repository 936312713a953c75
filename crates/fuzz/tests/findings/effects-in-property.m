-- unsafe; refused; a quantifier over a type of any size in a property that counts
type P: scalarset(5);
var x: 0..3; n: 0..5;
function fewer(q: P): boolean;
begin
  if n < 5 then n := n + 1; end;
  return n < 4;
end;
startstate x := 0; n := 0; end;
rule "go" x := 1 - x; end;
invariant "few" forall q: P do fewer(q) end;
