-- unsafe; bound variables, parameters and state variables of the same names
type P: scalarset(5);
var s: array [P] of boolean; p: P; q: P; bad: boolean;
function some(q: P): boolean;
begin
  return exists p: P do p != q & s[p] end;
end;
startstate for i: P do p := i; q := i; s[i] := false; end; bad := false; end;
ruleset p: P do rule "set" s[p] := true; end; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & forall p: P do some(p) end & exists q: P do q != p & q != a & some(q) end ==> bad := true; end;
end;
invariant "nothing" !bad;
