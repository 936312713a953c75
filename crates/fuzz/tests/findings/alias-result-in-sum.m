-- unsafe; the sum with the alias of a result that is outside of its type was believed to be in range
type P: scalarset(5);
var x: 0..3; y: 0..2;
function beyond(): 0..1;
begin
  return x + 2;
end;
startstate x := 0; y := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    alias z: beyond() do y := z + 1; end;
  end;
end;
invariant "nothing" x < 3;
