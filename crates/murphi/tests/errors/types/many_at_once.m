-- Nine mistakes, nine messages, none of them twice.
const N: three;
type Node: 1..N; State: enum {I, S, E};
var cache: array [Node] of State; owner: Node; count: 0..3;
startstate
  for n: Node do cache[n] := Invalid; end;
  count := zero;
  owner := 1;
end;
ruleset i: Nod do
  rule "take" cache[i] = I & cuont < 3 ==>
  begin
    cache[i] := count;
    count := count + cache[i];
    owner := i;
  end;
end;
invariant "one owner"
  forall i: Node do forall j: Node do i != j -> !(cache[i] = E & cache[j] = F) end end;
invariant "count" count;
