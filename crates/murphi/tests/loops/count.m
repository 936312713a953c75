type P: scalarset(3);
var busy: array [P] of boolean; n: integer; some: boolean; two: boolean;
function number(): integer;
var k: integer;
begin
  k := 0;
  for p: P do if busy[p] then k := k + 1; end; end;
  return k;
end;
startstate begin clear busy; n := 0; some := false; two := false; end;
ruleset p: P do
  rule "take" !busy[p] ==> begin busy[p] := true; end;
  rule "give" busy[p] ==> begin busy[p] := false; end;
end;
rule "count" begin
  n := 0;
  for p: P do if busy[p] then n := n + 1; end; end;
  some := n > 0;
  two := number() > 1;
end;
rule "reset" number() = 0 ==> begin n := 0; some := false; two := false; end;
invariant "two" two -> some;
invariant "none" number() = 0 | exists p: P do busy[p] end;
invariant "one" number() <= 1 -> forall p: P do forall q: P do busy[p] & busy[q] -> p = q end end;
