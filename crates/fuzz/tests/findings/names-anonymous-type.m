-- unsafe; a type without a name had the name of another one
type
  P: scalarset(5);
  type2: enum {k, l};
  type3: enum {m, n};
  type4: enum {o, p};
var x: enum {e, f, g}; y: union {P, enum {h, i}}; z: type4; w: type2; v: type3; bad: boolean;
startstate x := e; y := h; z := o; w := k; v := m; bad := false; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & x = e ==> x := g; y := a; end;
end;
rule "bad" x = g & ismember(y, P) ==> bad := true; end;
invariant "nothing" !bad;
