-- unsafe; a local enumeration of the same values was of another sort
type P: scalarset(5); E: enum {e0, e1};
var x: E; bad: boolean;
function f(y: E): boolean; begin return y = e0; end;
startstate x := e1; bad := false; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d ==> type L: enum {e0, e1}; var l: L; begin l := e0; bad := f(l); end;
end;
invariant "i" !bad;
