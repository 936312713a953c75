-- unsafe; an index out of its range was excused by an assumption that is made after it
type P: scalarset(5);
var x: 0..3; m: array [0..1] of boolean;
startstate x := 0; clear m; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    m[x + 2] := true;
    assume x = 1;
  end;
end;
invariant "nothing" x < 3;
