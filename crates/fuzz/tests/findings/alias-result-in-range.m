-- safe; proved; the alias of a result that is in its type is believed
type P: scalarset(5);
var x: 0..3; m: array [0..1] of boolean; n: 0..9;
function beyond(): 0..1;
begin
  return x;
end;
startstate x := 0; n := 0; clear m; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 & n = 0 ==>
    alias z: beyond() do
      for i := 0 to z do n := n + 1; end;
      m[z] := true;
    end;
  end;
end;
invariant "two at most" n < 3;
