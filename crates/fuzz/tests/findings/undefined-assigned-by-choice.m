-- unsafe; in proofs `:=` made an undefined value that went through `?:` a defined one
type
  NODE: scalarset(2);
  ANY: union { NODE, enum { other } };
var
  p, q: NODE;
  c, done, bad: boolean;
startstate
  undefine p;
  undefine q;
  c := true;
  done := false;
  bad := false;
end;
ruleset n: NODE do
  rule "set" !done ==> q := n; end;
end;
rule "copy" q := c ? p : q; done := true; end;
rule "compare" done & isundefined(q) ==> bad := true; end;
invariant "never" !bad;
