-- unsafe; what is asserted of every element was excused by an assumption after the loop
type P: scalarset(5);
var x: 0..3; m: array [P] of boolean;
startstate x := 0; clear m; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & m[a] & m[b] ==>
    for p: P do assert p = a | !m[p]; end;
    assume !exists p: P do m[p] end;
  end;
end;
ruleset p: P do rule "mark" m[p] := true; end; end;
invariant "nothing" x < 3;
