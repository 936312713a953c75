-- unsafe; loops and quantifiers that go down
type P: scalarset(5);
var x: 0..9; s: array [0..4] of boolean;
startstate x := 9; clear s; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 9 ==>
    for i := 4 to 0 by -2 do s[i] := true; x := i; end;
    if exists i := 3 to 1 by -2 do s[i] end then x := 9; end;
    if !(forall i := 4 to 0 by -2 do s[i] end) then x := 9; end;
  end;
end;
invariant "nothing" x != 0;
