-- unsafe; in proofs lists of records with an undefined part were compared by some value of it
type
  PAIR: record flag, other: boolean; end;
var
  l, yes, no: list of PAIR;
  bad: boolean;
startstate
  var p: PAIR;
begin
  l := [];
  yes := [];
  no := [];
  p.other := true;
  l := append(l, p);
  p.flag := true;
  yes := append(yes, p);
  p.flag := false;
  no := append(no, p);
  bad := false;
end;
rule "differs from both" l != yes & l != no ==> bad := true; end;
invariant "never" !bad;
