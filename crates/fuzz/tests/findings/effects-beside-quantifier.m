-- safe; proved; effects beside a quantifier over a type of any size
type P: scalarset(5);
var x: 0..3;
function up(): boolean;
begin
  if x < 1 then x := x + 1; end;
  return true;
end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    if up() & forall q: P do x = 1 | q = q end & up() then assert x = 1; end;
  end;
end;
invariant "one" x < 2;
