-- unsafe; an assertion in a function that an assumption calls
type P: scalarset(5);
var x: 0..3;
function checked(): boolean;
begin
  assert x = 1;
  return x = 1;
end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    assume checked();
    x := 2;
  end;
end;
invariant "nothing" x < 3;
