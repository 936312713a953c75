-- cmurphi: ok, 36 states, 84 rules fired
-- An array of multisets of simple values.

const N: 2;
type S: scalarset (2); E: enum { A, B };
var net: array [S] of multiset [N] of E; x: 0..1;
startstate begin undefine net; x := 0; end;
ruleset s: S do
  rule multisetcount(i: net[s], true) < N ==> var e: E; begin e := A; multisetadd(e, net[s]); end;
  choose i: net[s] do
    rule net[s][i] = A ==> var e: E; begin e := B; multisetremove(i, net[s]); multisetadd(e, net[s]); end;
  end;
end;
