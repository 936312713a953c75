-- unsafe; a quantifier over names stops at the first that is false
type P: scalarset(5); E: enum {one, two, three};
var x: 0..3;
function step(e: E): boolean;
begin
  if e = three then x := 0; end;
  return e = one;
end;
startstate x := 0; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    x := 3;
    if forall e: E do step(e) end then x := 0; end;
  end;
end;
invariant "nothing" x < 3;
