-- unsafe; the condition of an elsif is left out where one before holds
type P: scalarset(5);
var x: 0..3;
function set(i: 0..3; r: boolean): boolean;
begin
  x := i;
  return r;
end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    var m: boolean;
    begin
    if set(3, true) then m := true; elsif set(0, true) then x := 0; end;
  end;
end;
invariant "nothing" x < 3;
