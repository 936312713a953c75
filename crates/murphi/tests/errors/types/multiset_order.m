-- What depends on the order of elements, which a multiset does not have.
type P: scalarset(2); M: record a: 0..3; end;
var net: multiset [3] of M; other: multiset [3] of M; boxes: array [P] of multiset [3] of M; seen: 0..3; at: P;
    held: multiset [3] of M;
function more(): boolean; begin seen := 1; return true; end;
function many(): boolean; begin return multisetcount(i: net, true) > 1; end;
procedure swap(); var m: M; begin m.a := 3; multisetremovepred(i: net, net[i].a = 0); multisetadd(m, net); end;
procedure thin(var bag: multiset [3] of M); begin
  multisetremovepred(i: bag, multisetcount(j: net, true) > 1);
end;
startstate begin
  undefine net; undefine other; undefine boxes; undefine held; seen := 0; for p: P do at := p; end;
end;
rule "its own multiset" true ==> begin multisetremovepred(i: net, multisetcount(j: net, net[j].a = net[i].a) > 1); end;
rule "by a function" true ==> begin multisetremovepred(i: net, many()); end;
rule "by reference" true ==> begin thin(net); end;
rule "a condition that changes" true ==> begin multisetremovepred(i: net, net[i].a = 1 & more()); end;
rule "a count that changes" multisetcount(i: net, more()) = 1 ==> begin seen := 0; end;
choose i: net do
  rule "reused" true ==> var m: M; begin m.a := 1; multisetremove(i, net); multisetadd(m, net); seen := net[i].a; end;
  rule "reused by a procedure" true ==> begin swap(); seen := net[i].a; end;
  rule "reused in a loop" true ==> var m: M; begin
    m.a := 0;
    for p: P do seen := net[i].a; multisetremovepred(j: net, net[j].a = 1); multisetadd(m, net); end;
  end;
  rule "another multiset" true ==> begin seen := other[i].a; end;
  rule "removed from another" true ==> begin multisetremove(i, other); end;
  alias m: net[i] do
    rule "reused under an alias" true ==> var n: M; begin
      n.a := 2;
      if m.a = 1 then multisetremove(i, net); end;
      multisetadd(n, net);
      m.a := 0;
    end;
  end;
end;
ruleset p: P do
  choose i: boxes[p] do
    rule "the box of another" true ==> begin for q: P do seen := boxes[q][i].a; end; end;
  end;
end;
choose i: boxes[at] do
  rule "the box moves" true ==> begin for q: P do at := q; end; seen := boxes[at][i].a; end;
end;
invariant "a count of others" multisetcount(i: net, other[i].a = 1) = 0;
