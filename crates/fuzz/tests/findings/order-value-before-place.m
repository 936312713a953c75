-- unsafe; the value of an assignment is computed before its place
type P: scalarset(5);
var x: 0..3; m: array [0..3] of 0..3;
function next(): 0..3;
begin
  x := x + 1;
  return x;
end;
startstate x := 0; for i: 0..3 do m[i] := 0; end; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    m[next()] := next();
  end;
end;
invariant "nothing" m[2] = 0;
