-- unsafe; a name that is written was that of an element of a scalarset in a union
type
  P: scalarset(5);
  S: scalarset(2);
  E: enum {S_1, S_2, P_1};
  V: union {S, E};
  W: union {P, E};
var v: V; w: W; n: 0..3; bad: boolean;
startstate v := S_1; w := P_1; n := 0; bad := false; end;
ruleset a: P; b: P; c: P; d: P; s: S do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & v = S_1 ==> v := s; w := a; end;
end;
rule "bad" ismember(v, S) & v != S_1 & ismember(w, P) & w != P_1 ==> bad := true; end;
invariant "nothing" !bad;
