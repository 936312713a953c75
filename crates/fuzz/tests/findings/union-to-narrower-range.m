-- unsafe; exploration took a number from a union for one of the narrower range that it was assigned to
type
  RANGE: 0..3;
  ANY: union { RANGE, enum { none } };
var
  p: ANY;
  n: 0..2;
startstate
  p := 3;
  n := 0;
end;
rule "convert" n := p; end;
invariant "nothing" true;
