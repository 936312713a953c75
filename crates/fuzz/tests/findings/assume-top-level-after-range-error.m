-- unsafe; a value out of its range was excused by an assumption about the state afterwards
type P: scalarset(5);
var x: 0..3; y: 0..1;
startstate x := 0; y := 0; end;
assume "not yet" y = 0 | x = 0;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x < 3 ==>
    y := 1;
    x := x + 1;
    y := y + x;
  end;
end;
invariant "nothing" x < 3;
