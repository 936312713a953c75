-- unsafe; a loop up to the alias of a result that is outside of its type was cut short
type P: scalarset(5);
var x: 0..3; n: 0..9;
function beyond(): 0..1;
begin
  return x + 2;
end;
startstate x := 0; n := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 & n = 0 ==>
    alias z: beyond() do
      for i := 0 to z do n := n + 1; end;
    end;
  end;
end;
invariant "two at most" n < 3;
