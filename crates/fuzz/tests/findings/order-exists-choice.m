-- unsafe; a choice without a value in a function that a quantifier does not come to
type P: scalarset(5);
var x: 0..3;
function ask(i: 0..4): boolean;
var v: 0..3;
begin
  if i = 3 then havoc v where v > 0 & x = 1; end;
  return i = 2;
end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    if exists i: 0..4 do ask(i) end then x := 3; end;
  end;
end;
invariant "nothing" x < 3;
