-- rumur: ok, 100 states, 390 rules fired
-- A loop from one element to another: Rumur takes their positions, in either direction.
type P: scalarset(3);
var x: array[P] of 0..4;
startstate begin for i: P do x[i] := 0; end; end;
ruleset p: P; q: P do
  rule x[p] < 2 ==> begin for i := p to q do x[p] := x[p] + 1; end; end;
end;
