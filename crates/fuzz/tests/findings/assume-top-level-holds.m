-- safe; proved; what is assumed of every state holds where a rule starts
type P: scalarset(5);
var x: 0..3;
startstate x := 0; end;
assume "at most one" x < 2;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & true ==>
    assert x < 2;
    x := x + 1;
  end;
end;
invariant "one" x < 2;
