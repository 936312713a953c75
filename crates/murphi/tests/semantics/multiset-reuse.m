-- cmurphi: ok, 6 states, 12 rules fired
-- A place that was freed is taken again in the same rule.

const N: 2;
type M: record a: 0..1; end;
var net: multiset [N] of M; x: 0..3;
startstate begin clear net; x := 0; end;
ruleset v: 0..1 do
  rule multisetcount(i: net, true) < N ==> var m: M; begin m.a := v; multisetadd(m, net); end;
end;
choose i: net do
  rule "turn" multisetcount(j: net, true) = N ==> var m: M; begin m.a := 1 - net[i].a; multisetremove(i, net); multisetadd(m, net); end;
end;
