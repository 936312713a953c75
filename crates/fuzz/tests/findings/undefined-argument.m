-- unsafe; in proofs an undefined value that was handed to a parameter was some element
type
  NODE: scalarset(2);
  ANY: union { NODE, enum { other } };
var
  q: NODE;
  bad: boolean;
procedure look(n: NODE);
begin
  if forall m: NODE do n != m end then bad := true; end;
end;
startstate
  undefine q;
  bad := false;
end;
rule "look" look(q); end;
invariant "never" !bad;
