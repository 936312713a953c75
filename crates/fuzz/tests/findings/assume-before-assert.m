-- safe; proved; what is assumed before excuses what is asserted after it
type P: scalarset(5);
var x: 0..3;
startstate x := 0; end;
rule "count" x < 3 ==> x := x + 1; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & true ==>
    assume x = 1;
    assert x = 1;
    x := 1 / x;
  end;
end;
invariant "nothing" x < 4;
