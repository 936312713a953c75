-- cmurphi: ok, 7 states, 8 rules fired
-- `multisetcount` in guards and invariants.

const N: 2;
type M: record a: 0..1; end;
var net: multiset [N] of M; x: 0..3;
startstate begin clear net; x := 0; end;
ruleset v: 0..1 do
  rule multisetcount(i: net, true) < N ==> var m: M; begin m.a := v; multisetadd(m, net); end;
end;
rule multisetcount(i: net, net[i].a = 1) = 2 ==> begin x := multisetcount(i: net, true); end;
invariant "room" multisetcount(i: net, true) <= N;
