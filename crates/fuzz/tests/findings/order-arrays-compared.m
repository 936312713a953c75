-- unsafe; an array is compared as it is after the function that the other side calls
type P: scalarset(5); A: array [P] of boolean;
var x: 0..3; m: A; y: boolean;
function f(p: P): A; var q: A; begin m[p] := true; q := m; return q; end;
startstate x := 0; clear m; y := false; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    y := m = f(a);
    x := y ? 3 : 1;
  end;
end;
invariant "nothing" x < 3;
