type P: scalarset(3);
var busy: array [P] of boolean; owner: P; found: boolean; seen: array [P] of boolean;
startstate begin clear busy; clear seen; clear owner; found := false; end;
ruleset p: P do rule "take" !busy[p] ==> begin busy[p] := true; end; end;
rule "pick" begin
  found := false;
  for p: P do if !found & busy[p] then found := true; owner := p; busy[p] := false; seen[p] := true; end; end;
end;
rule "local" var done: boolean; begin
  done := false;
  for p: P do
    if !done then if busy[p] & !seen[p] then done := true; seen[p] := true; end; end;
  end;
  if done then found := true; end;
end;
invariant "own" found -> exists p: P do seen[p] end;
