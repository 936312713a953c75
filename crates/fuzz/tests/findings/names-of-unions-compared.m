-- unsafe; two unions of the same members were of different sorts, and never equal
type P: scalarset(5); E: enum {e0, e1}; U: union {P, E}; X: union {P, E};
var u: U; x: X; bad: boolean;
startstate u := e0; x := e1; bad := false; end;
ruleset p: P do rule "u" u := p; end; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d ==> begin u := e0; x := e0; if u = x then bad := true; end; end;
end;
invariant "i" !bad;
