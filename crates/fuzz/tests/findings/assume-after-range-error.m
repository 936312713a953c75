-- unsafe; a value out of its range was excused by an assumption that is made after it
type P: scalarset(5);
var x: 0..3; y: 0..1;
startstate x := 0; y := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    y := x + 2;
    assume y < 2;
  end;
end;
invariant "nothing" x < 3;
