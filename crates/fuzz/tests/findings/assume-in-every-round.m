-- unsafe; what is asserted of every element was excused by what is assumed of it afterwards
type P: scalarset(5);
var x: 0..3; m: array [P] of boolean;
startstate x := 0; clear m; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    for p: P do
      assert m[p];
      assume m[p];
    end;
  end;
end;
invariant "nothing" x < 3;
