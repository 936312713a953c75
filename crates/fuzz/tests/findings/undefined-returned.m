-- unsafe; in proofs a function that returned an undefined value returned some element
type
  NODE: scalarset(2);
  ANY: union { NODE, enum { other } };
var
  q, r: NODE;
  bad: boolean;
function same(n: NODE): NODE;
begin
  return n;
end;
startstate
  undefine q;
  undefine r;
  bad := false;
end;
ruleset n: NODE do
  rule "set" r := n; end;
end;
rule "copy" r := same(q); bad := isundefined(r) & (forall n: NODE do same(q) != n end); end;
invariant "never" !bad;
