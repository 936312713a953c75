-- by hand: ok, 12 states, 20 rules fired
-- An alias under `choose` is only for elements that are there.

const N: 2;
type M: record a: 0..1; end;
var net: multiset [N] of M; x: 0..3;
startstate begin clear net; x := 0; end;
ruleset v: 0..1 do
  rule multisetcount(i: net, true) < N ==> var m: M; begin m.a := v; multisetadd(m, net); end;
end;
choose i: net do
  alias m: net[i]; v: net[i].a + 1 do
    rule "take" m.a = 0 ==> begin x := v; multisetremove(i, net); end;
  end;
end;
