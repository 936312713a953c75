-- unsafe; the field of a variable had the name of the order of a local type
const N: 5;
type S: scalarset(5);
var P: record less: array [1..N] of array [1..N] of boolean; end; x: 0..3;
startstate x := 0; for i: 1..N do for j: 1..N do P.less[i][j] := false; end; end; end;
ruleset a: S; b: S; c: S; d: S do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = 0 ==>
    type P: 1..N;
    var q: P;
    begin
    for i: P do for j: P do if i < j then x := 3; end; end; end;
  end;
end;
invariant "nothing" x < 3;
