-- unsafe; an assertion was excused by an assumption that is made after it
type P: scalarset(5);
var x: 0..3;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    assert x = 1;
    assume x = 1;
  end;
end;
invariant "nothing" x < 3;
