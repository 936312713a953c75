-- unsafe; not found but foreseen: two pointers that only an axiom and an assumption make equal
type NODE: scalarset(2);
uninterpreted first, second: NODE;
axiom "the same" first = second;
var
  p, q: NODE;
  mark: array [NODE] of boolean;
assume "together" p = q;
startstate
  for n: NODE do mark[n] := false; end;
  p := first;
  q := second;
end;
rule "mark" mark[p] := true; end;
invariant "never" !mark[q] | !mark[second];
