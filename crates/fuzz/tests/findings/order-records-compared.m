-- unsafe; a record is compared as it is after the function that the other side calls
type P: scalarset(5); R: record k: 0..3; end;
var x: 0..3; r: R; y: boolean;
function f(): R; var q: R; begin r.k := 1; q.k := 1; return q; end;
startstate x := 0; r.k := 0; y := false; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    y := r = f();
    x := y ? 3 : 1;
  end;
end;
invariant "nothing" x < 3;
