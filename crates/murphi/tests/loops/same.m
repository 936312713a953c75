-- The same search inside of a loop and outside of it.
type P: scalarset(3);
var on: array [P] of boolean; a: array [P] of P; b: P; n: integer; m: array [P] of integer;
function first(): P;
begin for p: P do if on[p] then return p; end; end; return b; end;
function number(): integer;
var k: integer;
begin k := 0; for p: P do if on[p] then k := k + 1; end; end; return k; end;
startstate begin clear on; clear b; for p: P do a[p] := p; m[p] := 0; end; n := 0; end;
ruleset p: P do rule "on" !on[p] ==> begin on[p] := true; end; end;
rule "all" begin
  for p: P do a[p] := first(); m[p] := number(); end;
  b := first();
  n := number();
end;
rule "if" begin
  if n > 1 then b := first(); else for p: P do if on[p] then a[p] := first(); end; end; end;
end;
invariant "same" n = 0 | exists p: P do on[p] end;
