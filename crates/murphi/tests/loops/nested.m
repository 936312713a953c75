-- Loops in loops: each round of the outer one searches, counts and sets for itself.
type P: scalarset(3);
var on: array [P] of array [P] of boolean; full: array [P] of boolean; pick: array [P] of P; has: array [P] of boolean;
    n: array [P] of integer; lone: boolean;
procedure Search(p: P);
begin
  for q: P do
    if on[p][q] then pick[p] := q; has[p] := true; return; end;
  end;
  has[p] := false;
end;
function crowded(): boolean;
var k: integer;
begin
  for p: P do
    k := 0;
    for q: P do if on[p][q] then k := k + 1; end; end;
    if k > 1 then return true; end;
  end;
  return false;
end;
startstate begin
  clear on; clear full; clear has; clear lone;
  for p: P do n[p] := 0; pick[p] := p; end;
end;
ruleset p: P; q: P do
  rule "set" !on[p][q] ==> begin on[p][q] := true; end;
end;
rule "search" begin for p: P do Search(p); end; end;
rule "count" begin
  for p: P do
    n[p] := 0;
    for q: P do if on[p][q] then n[p] := n[p] + 1; end; end;
    full[p] := n[p] > 0;
  end;
end;
rule "lone" begin lone := !crowded(); end;
invariant "crowd" crowded() -> exists p: P do exists q: P do on[p][q] end end;
invariant "pick" forall p: P do has[p] -> on[p][pick[p]] end;
invariant "full" forall p: P do full[p] -> exists q: P do on[p][q] end end;
