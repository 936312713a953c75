-- safe; in proofs an undefined union could not be copied to a member
type
  NODE: scalarset(2);
  ANY: union { NODE, enum { other } };
var
  p: ANY;
  q: NODE;
startstate
  undefine p;
  undefine q;
end;
rule "copy" q := p; end;
invariant "undefined" isundefined(q);
