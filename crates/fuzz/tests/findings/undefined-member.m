-- unsafe; in proofs an undefined value belonged to some member of its union
type
  NODE: scalarset(2);
  OTHER: enum { other };
  ANY: union { NODE, OTHER };
var
  p: ANY;
  bad: boolean;
startstate
  undefine p;
  bad := false;
end;
rule "nobody" !ismember(p, NODE) & !ismember(p, OTHER) ==> bad := true; end;
invariant "never" !bad;
