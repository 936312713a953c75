-- expect: safe
--
-- Invalidation by messages: who wants to write has all other copies taken away first, and waits for every answer.
--
-- The home broadcasts an invalidation to each sharer but the writer, and counts how many it has sent; the network is a
-- multiset, so messages overtake each other. Each sharer gives up its copy and answers. When the last answer is there,
-- the writer gets its permission, and nobody reads or writes anew before that. The protocol is in outline that of D.
-- Lenoski and others: The directory-based cache coherence protocol for the DASH multiprocessor (ISCA 1990).
--
-- What holds: who may write is alone; the home counts right.

const
  NODES: 3;

type
  NODE: scalarset(NODES);
  COUNT: 0..NODES;
  KIND: enum { invalidate, answer };
  MESSAGE: record
    kind: KIND;
    node: NODE;               -- the receiver of an invalidation, the sender of an answer
  end;
  PERMISSION: enum { invalid, readable, writable };

var
  permission: array [NODE] of PERMISSION;
  sharer: array [NODE] of boolean;
  network: multiset [NODES] of MESSAGE;
  waiting: boolean;           -- the home waits for answers, for `writer`
  writer: NODE;
  missing: COUNT;             -- answers

procedure send(k: KIND; n: NODE);
  var m: MESSAGE;
begin
  m.kind := k;
  m.node := n;
  multisetadd(m, network);
end;

startstate "init"
  for n: NODE do
    permission[n] := invalid;
    sharer[n] := false;
  end;
  undefine network;
  waiting := false;
  undefine writer;
  missing := 0;
end;

ruleset n: NODE do

  rule "read"
    permission[n] = invalid & !waiting & forall m: NODE do permission[m] != writable end
  ==>
    permission[n] := readable;
    sharer[n] := true;
  end;

  rule "ask to write"
    permission[n] != writable & !waiting
  ==>
    waiting := true;
    writer := n;
    for m: NODE do
      if sharer[m] & m != n then
        send(invalidate, m);
        missing := missing + 1;
      end;
    end;
  end;

end;

choose i: network do

  rule "give up the copy"
    network[i].kind = invalidate
  ==>
    var n: NODE;
  begin
    n := network[i].node;
    permission[n] := invalid;
    multisetremove(i, network);
    send(answer, n);
  end;

  rule "home receives an answer"
    network[i].kind = answer
  ==>
    sharer[network[i].node] := false;
    missing := missing - 1;
    multisetremove(i, network);
  end;

end;

rule "home permits to write"
  waiting & missing = 0
==>
  waiting := false;
  permission[writer] := writable;
  sharer[writer] := true;
  undefine writer;
end;

invariant "who may write is alone"
  forall n: NODE; m: NODE do
    n != m & permission[n] = writable -> permission[m] = invalid
  end;

invariant "the home counts right"
  multisetcount(i: network, true) = missing;
