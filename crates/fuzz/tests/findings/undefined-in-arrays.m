-- unsafe; in proofs arrays with an undefined element were compared by some value of it
type
  NODE: scalarset(2);
  ROW: array [NODE] of boolean;
var
  n: NODE;
  yes, a: ROW;
  bad: boolean;
ruleset m: NODE do
  startstate
    n := m;
    for i: NODE do yes[i] := true; end;
    bad := false;
  end;
end;
rule "differs from both"
  var no: ROW;
begin
  no := yes;
  no[n] := false;
  a := yes;
  undefine a[n];
  bad := a != yes & a != no;
end;
invariant "never" !bad;
