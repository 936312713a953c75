-- unsafe; a ruleset that goes down between constants had no instances
const HIGH: 5; LOW: 1; STEP: -2;
type P: scalarset(5);
var x: 0..9;
startstate x := 9; end;
ruleset i := HIGH to LOW by STEP do
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 9 ==> x := i; end;
end;
end;
invariant "nothing" x != 3;
