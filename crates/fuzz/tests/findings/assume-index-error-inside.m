-- unsafe; an index out of its range inside an assumption, which then does not hold
type P: scalarset(5);
var x: 0..3; m: array [0..1] of boolean;
startstate x := 0; clear m; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    assume m[x + 2];
    x := 1;
  end;
end;
invariant "nothing" x < 3;
