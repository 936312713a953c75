-- unsafe; in proofs an undefined value that went through `?:` was some element
type
  NODE: scalarset(2);
  ANY: union { NODE, enum { other } };
var
  p, q: NODE;
  c, bad: boolean;
startstate
  undefine p;
  undefine q;
  c := true;
  bad := false;
end;
rule "copy" q := c ? p : q; end;
rule "turn" c := !c; end;
rule "compare" forall n: NODE do (c ? q : p) != n end ==> bad := true; end;
invariant "never" !bad;
