-- cmurphi: ok, 6 states, 10 rules fired
-- `choose` takes each present element; equal ones count one by one.

const N: 2;
type M: record a: 0..1; end;
var net: multiset [N] of M; x: 0..3;
startstate begin clear net; x := 0; end;
ruleset v: 0..1 do
  rule multisetcount(i: net, true) < N ==> var m: M; begin m.a := v; multisetadd(m, net); end;
end;
choose i: net do
  rule "take" net[i].a = 0 ==> begin multisetremove(i, net); end;
end;
