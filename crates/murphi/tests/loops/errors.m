-- What goes wrong in a loop must go wrong in the system, too.
type P: scalarset(3);
var on: array [P] of boolean; n: 0..2; x: 0..3; who: P; found: boolean;
startstate begin clear on; n := 0; x := 0; clear who; found := false; end;
ruleset p: P do rule "on" !on[p] ==> begin on[p] := true; end; end;
rule "bounded" x = 0 ==> begin
  n := 0;
  for p: P do if on[p] then n := n + 1; end; end;
  x := 1;
end;
rule "asserted" x = 1 ==> var k: integer; begin
  k := 0;
  for p: P do if on[p] then assert k < 3; k := k + 1; end; end;
  x := 2;
end;
rule "down" x = 2 ==> begin
  n := 2;
  for p: P do if on[p] then n := n - 1; end; end;
  x := 3;
end;
rule "searched" x = 3 ==> begin
  for p: P do
    if on[p] then assert who != p; who := p; return; end;
  end;
end;
ruleset q: P do
rule "switch" x = 0 & !on[q] ==> begin
  for p: P do
    switch on[p] case true: on[p] := false; else if p = q then error "itself"; else on[p] := true; end; end;
  end;
end;
end;
