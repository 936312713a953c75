-- unsafe; a division by zero inside of what a choice asks for
type P: scalarset(5);
var x: 0..3; y: 0..1;
startstate x := 0; y := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    havoc y where y < 2 & 1 / x = 7;
  end;
end;
invariant "nothing" x < 3;
