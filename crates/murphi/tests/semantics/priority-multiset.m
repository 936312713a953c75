-- cmurphi: ok, 10 states, 12 rules fired
-- What is in the multiset goes before what puts something in.

type M: record a: 0..1; end;
var net: multiset [2] of M; x: 0..1;
startstate begin clear net; x := 0; end;
ruleset v: 0..1 do
  rule 30 multisetcount(i: net, true) < 2 ==> var m: M; begin m.a := v; multisetadd(m, net); end;
end;
choose i: net do
  rule 20 "take" net[i].a = x ==> begin multisetremove(i, net); x := 1 - x; end;
end;
