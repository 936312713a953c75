-- unsafe; a division by zero inside of an assumption about the state afterwards
type P: scalarset(5);
var x: 0..3;
startstate x := 0; end;
assume "whatever" x = 0 | 2 / (x - 1) < 3;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    x := x + 1;
  end;
end;
invariant "nothing" x < 3;
