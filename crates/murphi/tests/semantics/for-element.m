-- by hand: ok, 27 states, 54 rules fired
-- The only round of a loop from an element to itself. The name is an element, as in CMurphi; in Rumur it is a number, and counts are the same where it is not used.
type P: scalarset(3);
var x: array[P] of 0..2; last: P;
startstate begin for i: P do x[i] := 0; end; end;
ruleset p: P do
  rule x[p] < 2 ==> begin
    for i := p to p do x[i] := x[i] + 1; last := i; end;
    assert exists i := last to last do i = p end;
    undefine last;
  end;
end;
