-- unsafe; in proofs records with an undefined part were compared by some value of it
type
  NODE: scalarset(2);
  PAIR: record node: NODE; flag: boolean; end;
var
  r: PAIR;
  all: array [NODE] of PAIR;
  bad: boolean;
startstate
  r.flag := true;
  for n: NODE do all[n].node := n; all[n].flag := true; end;
  bad := false;
end;
rule "differs from all" forall n: NODE do r != all[n] end ==> bad := true; end;
invariant "never" !bad;
