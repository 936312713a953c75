-- unsafe; in proofs a quantifier over a union went through numbers that its range does not have, and lowering `p := n` panicked
type
  RANGE: 2..3;
  ANY: union { enum { none }, RANGE };
var
  a: array [ANY] of 0..9;
  p: ANY;
  n: 0..9;
  bad: boolean;
startstate
  for i: ANY do a[i] := 1; end;
  p := none;
  n := 2;
  bad := false;
end;
ruleset i: ANY do
  rule "again" a[i] := 1; end;
end;
rule "convert" p := n; end;
rule "all are one" forall i: ANY do a[i] = 1 end ==> bad := true; end;
invariant "never" !bad;
