-- unsafe; the remainder of the alias of a negative result was that of a positive one
type P: scalarset(5);
var x: 0..3; y: -3..3;
function below(): 0..3;
begin
  return x - 3;
end;
startstate x := 0; y := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    alias z: below() do y := z % 2; x := 1; end;
  end;
end;
invariant "odd" x = 1 -> y = 1;
