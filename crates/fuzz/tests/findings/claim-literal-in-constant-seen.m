-- safe; proved; an element is named by a constant: the claim is about three elements and more
const N: 3; HOME: 2;
type P: 0..N-1;
var p: P; away: boolean;
startstate p := HOME; away := false; end;
ruleset i: P do rule "go" p := i; away := i != HOME; end; end;
invariant "home" !away -> p = HOME;
