-- Whether this goes wrong depends on the order of the elements, which a proof does not know.
type P: scalarset(3);
var on: array [P] of boolean;
startstate begin clear on; end;
ruleset p: P do rule "on" !on[p] ==> begin on[p] := true; end; end;
rule "asserted" var k: integer; begin
  k := 0;
  for p: P do if on[p] then k := k + 1; else assert k < 2; end; end;
end;
