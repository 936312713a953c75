-- safe; proved; no element is named: the claim is about every number
const N: 3;
type P: 0..N-1;
var p: P; q: P; away: boolean;
startstate for i: P do p := i; q := i; end; away := false; end;
ruleset i: P do rule "go" p := i; away := i != q; end; end;
invariant "home" !away -> p = q;
