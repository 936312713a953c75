-- unsafe; in proofs an undefined value was some element, and so never different from all
type
  NODE: scalarset(2);
  ANY: union { NODE, enum { other } };
var
  p: ANY;
  q: NODE;
  bad: boolean;
startstate
  p := other;
  undefine q;
  bad := false;
end;
rule "undefined is nobody" forall n: NODE do q != n end ==> bad := true; end;
invariant "never" !bad;
