-- expect: safe   (explore: --integers 0..3)
--
-- A ring of nodes, of which only the next one of each is known, with a channel without a bound from each to its next
-- (as in G. Le Lann: Distributed systems, towards a formal approach, IFIP 1977). Each node sends numbers, one after
-- the other. What a node has received its predecessor has sent: a fact about all that is in all channels.

type
  NODE: scalarset(2);

uninterpreted
  next(n: NODE): NODE;

axiom "nobody has two predecessors"
  forall a: NODE do forall b: NODE do next(a) = next(b) -> a = b end end;

var
  channel: array [NODE] of array [integer] of integer;   -- from a node to the next one, between `first` and `last`
  first: array [NODE] of integer;
  last: array [NODE] of integer;
  count: array [NODE] of integer;     -- the number that a node sends next
  seen: array [NODE] of integer;      -- the number that a node has received last

startstate "start"
  for n: NODE do
    first[n] := 0;
    last[n] := 0;
    count[n] := 1;
    seen[n] := 0;
    clear channel[n];
  end;
end;

ruleset n: NODE do
  rule "send"
    true
  ==>
    channel[n][last[n]] := count[n];
    last[n] := last[n] + 1;
    count[n] := count[n] + 1;
  end;

  rule "receive"
    first[n] < last[n]
  ==>
    seen[next(n)] := channel[n][first[n]];
    first[n] := first[n] + 1;
  end;
end;

invariant "what is received was sent"
  forall n: NODE do seen[next(n)] < count[n] end;
