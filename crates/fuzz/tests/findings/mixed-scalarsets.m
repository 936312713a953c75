-- unsafe; in proofs, values of scalarsets that mix were of different sorts, and the program ended with an error
type
  NODE: scalarset(2);
  DATA: scalarset(2);
var
  busy: array [NODE] of boolean;
  datum: DATA;
  owner: NODE;
ruleset d: DATA; n: NODE do
startstate
  for i: NODE do busy[i] := false; end;
  datum := d;
  owner := n;
end;
end;
rule "take" !busy[datum] ==> busy[datum] := true; end;
ruleset n: NODE do rule "other" n != datum ==> owner := n; datum := n; end; end;
invariant "free" exists i: NODE do !busy[i] end;
predicate "owned" owner = datum;
