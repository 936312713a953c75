-- safe; proved; the alias of a result that is outside of its type is looked at where it is used
type P: scalarset(5);
var x: 0..3; y: 0..3;
function beyond(): 0..1;
begin
  return x + 2;
end;
startstate x := 0; y := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    alias z: beyond() do
      if z > 1 then y := z; end;
    end;
  end;
end;
rule "on" x < 1 ==> x := x + 1; end;
invariant "nothing" x < 3;
