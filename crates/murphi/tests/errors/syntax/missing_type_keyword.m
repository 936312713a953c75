const N: 3;
  T: scalarset(N);
  U: array [T] of boolean;
var u: U;
startstate begin for t: T do u[t] := true; end; end;
