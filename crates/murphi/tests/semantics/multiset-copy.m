-- cmurphi: ok, 12 states, 28 rules fired
-- An element is copied before it is removed.

const N: 2;
type M: record a: 0..1; end;
var net: multiset [N] of M; x: 0..3;
startstate begin clear net; x := 0; end;
ruleset v: 0..1 do
  rule multisetcount(i: net, true) < N ==> var m: M; begin m.a := v; multisetadd(m, net); end;
end;
choose i: net do
  rule "take" true ==> var m: M; begin m := net[i]; multisetremove(i, net); x := m.a; end;
end;
