-- unsafe; an index of another union of the same members selected nothing
type P: scalarset(5); E: enum {e0, e1}; U: union {P, E}; X: union {P, E};
var a: array [U] of boolean; x: X; bad: boolean;
startstate x := e1; bad := false; for i: U do a[i] := false; end; end;
ruleset k: P; l: P; m: P; n: P do
  rule "four" k != l & k != m & k != n & l != m & l != n & m != n ==> begin x := e0; a[x] := true; bad := a[e0]; end;
end;
invariant "i" !bad;
