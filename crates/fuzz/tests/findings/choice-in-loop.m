-- safe; proved; an element that a loop over all of them finds is the one looked for
type P: scalarset(5);
var x: 0..3; p: P;
function pick(q: P): P;
var r: P;
begin
  for i: P do if i = q then r := i; end; end;
  return r;
end;
startstate x := 0; for q: P do p := q; end; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    p := pick(a);
    assert p = a;
  end;
end;
invariant "nothing" x < 3;
