-- unsafe; in proofs an undefined value was defined in a parameter of another scalarset
type
  A: scalarset(2);
  B: scalarset(2);
var
  a: A;
  bad: boolean;
procedure look(b: B);
begin
  if isundefined(b) then bad := true; end;
end;
startstate
  bad := false;
end;
rule "look" look(a); end;
invariant "never" !bad;
