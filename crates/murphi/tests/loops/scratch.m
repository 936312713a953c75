-- Temporaries, and what they are after the loop.
type P: scalarset(3); K: enum {none, one, two};
var k: array [P] of K; next: array [P] of P; best: K; any: P; flag: boolean;
startstate begin for p: P do k[p] := none; next[p] := p; end; best := none; clear any; flag := false; end;
ruleset p: P do
  rule "raise" k[p] = none ==> begin k[p] := one; end;
  rule "point" begin next[p] := any; end;
end;
rule "last" var q: P; var x: K; begin
  x := none;
  for p: P do q := next[p]; if k[q] = one then x := k[p]; any := q; end; end;
  best := x; any := q;
end;
rule "swap" var x: K; begin
  for p: P do x := k[p]; if x = one then k[p] := two; elsif x = two then k[p] := none; end; end;
  best := x;
end;
rule "none" var q: P; begin
  q := any;
  for p: P do if k[p] = two then q := p; flag := true; end; end;
  any := q;
end;
invariant "best" best != two | exists p: P do k[p] != one end | forall p: P do k[p] = one end;
