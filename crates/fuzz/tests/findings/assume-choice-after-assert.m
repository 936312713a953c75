-- unsafe; an assertion was excused by a choice after it, for which there is no value
type P: scalarset(5);
var x: 0..3; y: 0..1;
startstate x := 0; y := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    assert x = 1;
    havoc y where y > x + 1;
  end;
end;
invariant "nothing" x < 3;
