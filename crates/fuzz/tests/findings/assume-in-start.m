-- unsafe; an assertion in a start was excused by an assumption after it
type P: scalarset(5);
var x: 0..3; p: P;
ruleset a: P; b: P; c: P; d: P do
  startstate
    p := a;
    if a != b & a != c & a != d & b != c & b != d & c != d then
      x := 2;
      assert x = 1;
      assume x = 1;
    end;
    x := 0;
  end;
end;
rule "go" x := 1 - x; end;
invariant "nothing" x < 3;
