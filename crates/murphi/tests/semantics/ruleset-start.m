-- rumur: ok, 9 states, 12 rules fired
-- Starts have parameters too.

type S: scalarset (3);
var s: S; x: 0..2;
ruleset i: S; n: 0..2 do startstate begin s := i; x := n; end; end;
ruleset i: S do rule x > 0 & i != s ==> begin s := i; x := x - 1; end; end;
ruleset i: S do invariant "some" exists j: S do j = i & (s = i -> s = j) end; end;
