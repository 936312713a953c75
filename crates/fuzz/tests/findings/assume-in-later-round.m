-- unsafe; an assertion in one round of a loop was excused by an assumption in a later one
type P: scalarset(5);
var x: 0..3;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    for i: 0..2 do
      assert i != 1;
      assume i != 2;
    end;
  end;
end;
invariant "nothing" x < 3;
