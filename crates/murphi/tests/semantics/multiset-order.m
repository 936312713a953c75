-- by hand: ok, 10 states, 26 rules fired
-- What may be done with elements: nothing here depends on their order.

const N: 2;
type M: record a: 0..2; end;
var net: multiset [N] of M; x: 0..3;
procedure drop(var bag: multiset [N] of M); begin multisetremovepred(i: bag, bag[i].a = 2); end;
startstate begin clear net; x := 0; end;
ruleset v: 0..2 do
  rule "add" multisetcount(i: net, true) < N ==> var m: M; begin m.a := v; multisetadd(m, net); end;
end;
choose i: net do
  alias m: net[i]; bag: net do
    rule "replace" m.a = 0 ==> var n: M; begin
      n.a := m.a + 1;
      multisetremove(i, bag);
      multisetadd(n, net);
    end;
    rule "one or the other" m.a = 1 ==> var n: M; begin
      n.a := 2;
      if multisetcount(j: net, net[j].a = m.a) = 2 then
        multisetremove(i, net);
        multisetadd(n, net);
        return;
      end;
      m.a := 2;
    end;
  end;
end;
rule "drop" multisetcount(i: net, net[i].a = 2) > 0 ==> begin drop(net); end;
