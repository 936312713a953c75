-- unsafe; a division by zero was excused by a choice after it, in a procedure, for which there is no value
type P: scalarset(5);
var x: 0..3; y: 0..1;
procedure choose_some();
begin
  havoc y where y > 0 & x = 1;
end;
startstate x := 0; y := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    y := 1 / x;
    choose_some();
  end;
end;
invariant "nothing" x < 3;
