-- safe; the rule that changes `v` renames the `p` of what is asserted and was said to touch it: without its premises the certificate was refuted
type NODE: scalarset(3);
var
  v: array [NODE] of boolean;
  on: array [NODE] of boolean;
  off: boolean;
startstate
  for i: NODE do v[i] := false; on[i] := false; end;
  off := false;
end;
ruleset p: NODE do
rule "asserting"
  off & on[p]
==>
  assert v[p];
end;
end;
ruleset p: NODE do
rule "changing"
  !on[p]
==>
  v[p] := !v[p];
end;
end;
invariant "nothing is on"
  forall x: NODE do v[x] | !on[x] end;
