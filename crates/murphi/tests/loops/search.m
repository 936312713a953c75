-- search with return, in a function and in a rule
type P: scalarset(3);
var busy: array [P] of boolean; owner: P; has: boolean; n: 0..1;
function some_busy(): boolean;
begin
  for p: P do if busy[p] then return true; end; end;
  return false;
end;
function find(): P;
var q: P;
begin
  for p: P do if busy[p] then return p; end; end;
  undefine q; return q;
end;
startstate begin clear busy; clear has; clear owner; n := 0; end;
ruleset p: P do
  rule "take" !busy[p] ==> begin busy[p] := true; end;
end;
rule "pick" !has & some_busy() ==> begin owner := find(); has := true; end;
rule "release" has ==> begin
  for p: P do
    if busy[p] then busy[p] := false; has := false; return; end;
  end;
  n := 1;
end;
rule "first" !has ==> begin
  for p: P do
    if busy[p] & p != owner then owner := p; has := true; return; end;
  end;
end;
invariant "has" has -> some_busy();
invariant "n" n = 0;
