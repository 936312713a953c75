-- unsafe; a variable had the name of the order of a local type
const N: 5;
type
  P: scalarset(5);
  Q: boolean;
  B: array [P] of boolean;
  W: 1..N;
  R: record less: array [W] of array [W] of boolean; end;
var x: boolean; bad: boolean; W_less: R; p: W; q: W; r: array [W] of boolean;
startstate x := false; bad := false;
  for i: W do p := i; q := i; r[i] := false; for j: W do W_less.less[i][j] := false; end; end;
end;
ruleset i: W; j: W do
  rule "choose" p := i; q := j; end;
  rule "less" i < j ==> W_less.less[i][j] := true; end;
end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & p < q & W_less.less[p][q] ==> bad := true; end;
end;
invariant "nothing" !bad;
