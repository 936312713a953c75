-- unsafe; a division by zero inside an assumption, which then need not hold
type P: scalarset(5);
var x: 0..3;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    assume x != 0 | 1 / x = 5;
    x := 1;
  end;
end;
invariant "nothing" x < 3;
