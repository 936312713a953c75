-- unsafe; an error in a procedure was excused by an assumption of the caller
type P: scalarset(5);
var x: 0..3;
procedure fail();
begin
  if x = 0 then error "failed"; end;
end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    fail();
    assume x = 1;
  end;
end;
invariant "nothing" x < 3;
