-- safe; proved; what is assumed in a branch excuses what is asserted after it there, and a choice what is asserted of it
type P: scalarset(5);
var x: 0..3; y: 0..2;
startstate x := 0; y := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x < 2 ==>
    if x < 2 then assume y = x; assert y < 2; end;
    havoc y where y > x;
    assert y > 0;
    x := y - 1;
  end;
end;
invariant "nothing" x < 3;
