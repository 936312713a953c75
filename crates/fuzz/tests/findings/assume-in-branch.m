-- unsafe; an assertion before a conditional was excused by an assumption in both of its branches
type P: scalarset(5);
var x: 0..3; y: boolean;
startstate x := 0; y := false; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    assert x = 1;
    if y then assume x = 2; else assume x = 1; end;
  end;
end;
rule "other" y := !y; end;
invariant "nothing" x < 3;
