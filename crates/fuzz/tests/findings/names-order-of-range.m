-- unsafe; the field of a variable had the name of the order of a range
const N: 5;
var P: record less: array [1..N] of array [1..N] of boolean; end; x: 0..3;
startstate x := 0; for i: 1..N do for j: 1..N do P.less[i][j] := false; end; end; end;
ruleset a: 1..N; b: 1..N; c: 1..N; d: 1..N do
  rule "four" a < b & b < c & c < d & !P.less[a][b] & x = 0 ==>
    type P: 1..N;
    var q: P;
    begin q := a; x := q < b ? 3 : 0;
  end;
end;
invariant "nothing" x < 3;
