-- safe; proved; the alias of a variable is in the type of the variable
type P: scalarset(5);
var x: 0..3; m: array [0..3] of boolean; n: 0..9;
startstate x := 0; n := 0; clear m; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & true ==>
    alias z: x do
      for i := 0 to z do m[i] := true; end;
      n := z + 6;
      x := 2;
    end;
  end;
end;
invariant "nothing" n < 9;
