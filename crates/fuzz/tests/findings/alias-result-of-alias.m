-- unsafe; the alias of an alias of a result that is outside of its type was believed
type P: scalarset(5);
var x: 0..3; m: array [0..1] of boolean;
function beyond(): 0..1;
begin
  return x + 2;
end;
startstate x := 0; clear m; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    alias z: beyond() do alias w: z do m[w] := true; end; end;
  end;
end;
invariant "nothing" x < 3;
