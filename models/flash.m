-- expect: safe   (explore: --size NODE=3) (check: --ignore-predicates)
--
-- The cache coherence protocol of the Stanford FLASH multiprocessor, for one line of memory: any number of nodes.
--
-- A home node has a directory: whether some node has the line exclusively (`dirty`) and which (`owner`), else which
-- nodes share it, and whether a request is being worked at (`pending`). Nodes ask the home node for a shared (GET) or
-- an exclusive copy (GETX). It answers by itself (PUT, PUTX), refuses (NAK), or forwards the request to the owner,
-- which answers to the node and tells the home node. Before the home node gives an exclusive copy it has all others
-- invalidated, but does not wait for their acknowledgements. An owner may write the line back at any time, so a
-- forwarded request may find it without its copy. Described in J. Kuskin et al.: The Stanford FLASH multiprocessor
-- (ISCA 1994); S. Park, D. Dill: Verification of FLASH cache coherence protocol by aggregation of distributed
-- transactions (SPAA 1996); S. Das: Predicate abstraction (thesis, Stanford 2003), section 3.5.1, from where the four
-- predicates on exclusive copies and PUTX replies are, and the set of sharers in place of their number.
--
-- What holds: there is at most one exclusive copy.
--
-- Each node has at most one request, so its request, what becomes of it, and the reply are one message: `message[n]`.
-- Data are left out, as is a cache of the home node itself.

const
  NODES: 3;

type
  NODE: scalarset(NODES);
  COPY: enum { invalid, shared, exclusive };
  MESSAGE: enum { none, get, getx, forwarded_get, forwarded_getx, reply_put, reply_putx, nak };
  INVALIDATION: enum { no_inv, inv, inv_ack };
  REPORT: enum { no_report, now_shared, now_transferred, not_found };    -- of an owner to the home node

var
  copy: array [NODE] of COPY;
  message: array [NODE] of MESSAGE;
  invalidation: array [NODE] of INVALIDATION;
  too_late: array [NODE] of boolean;    -- the copy that is on its way has been invalidated already
  writing_back: boolean;                -- a write-back is on its way to the home node
  report: REPORT;
  pending: boolean;
  dirty: boolean;
  owner: NODE;
  requester: NODE;                      -- whose request was forwarded
  sharer: array [NODE] of boolean;

startstate "init"
  for n: NODE do
    copy[n] := invalid;
    message[n] := none;
    invalidation[n] := no_inv;
    too_late[n] := false;
    sharer[n] := false;
  end;
  writing_back := false;
  report := no_report;
  pending := false;
  dirty := false;
  havoc owner;
  havoc requester;
end;

ruleset n: NODE do

  rule "ask for a shared copy"
    copy[n] = invalid & message[n] = none
  ==>
    message[n] := get;
  end;

  rule "ask for an exclusive copy"
    copy[n] = invalid & message[n] = none
  ==>
    message[n] := getx;
  end;

  rule "forget a shared copy"
    copy[n] = shared
  ==>
    copy[n] := invalid;
  end;

  rule "write back"
    copy[n] = exclusive & !writing_back
  ==>
    copy[n] := invalid;
    writing_back := true;
  end;

  rule "home refuses"
    (message[n] = get | message[n] = getx) & (pending | dirty & owner = n)
  ==>
    message[n] := nak;
  end;

  rule "home gives a shared copy"
    message[n] = get & !pending & !dirty
  ==>
    sharer[n] := true;
    message[n] := reply_put;
  end;

  rule "home forwards a request to share"
    message[n] = get & !pending & dirty & owner != n
  ==>
    pending := true;
    requester := n;
    message[n] := forwarded_get;
  end;

  rule "home gives an exclusive copy"
    message[n] = getx & !pending & !dirty
  ==>
    pending := exists m: NODE do m != n & sharer[m] end;
    for m: NODE do
      invalidation[m] := m != n & sharer[m] ? inv : no_inv;
      sharer[m] := false;
    end;
    dirty := true;
    owner := n;
    message[n] := reply_putx;
  end;

  rule "home forwards a request for the exclusive copy"
    message[n] = getx & !pending & dirty & owner != n
  ==>
    pending := true;
    requester := n;
    message[n] := forwarded_getx;
  end;

  rule "owner shares"
    message[n] = forwarded_get & copy[owner] = exclusive
  ==>
    copy[owner] := shared;
    message[n] := reply_put;
    report := now_shared;
  end;

  rule "owner gives up the exclusive copy"
    message[n] = forwarded_getx & copy[owner] = exclusive
  ==>
    copy[owner] := invalid;
    message[n] := reply_putx;
    report := now_transferred;
  end;

  rule "owner has no exclusive copy"
    (message[n] = forwarded_get | message[n] = forwarded_getx) & copy[owner] != exclusive
  ==>
    message[n] := nak;
    report := not_found;
  end;

  rule "receive a shared copy"
    message[n] = reply_put
  ==>
    message[n] := none;
    copy[n] := too_late[n] ? invalid : shared;
    too_late[n] := false;
  end;

  rule "receive an exclusive copy"
    message[n] = reply_putx
  ==>
    message[n] := none;
    copy[n] := exclusive;
    too_late[n] := false;
  end;

  rule "receive a refusal"
    message[n] = nak
  ==>
    message[n] := none;
    too_late[n] := false;
  end;

  rule "receive an invalidation"
    invalidation[n] = inv
  ==>
    invalidation[n] := inv_ack;
    copy[n] := invalid;
    too_late[n] := message[n] = reply_put;
  end;

  rule "home receives an acknowledgement"
    invalidation[n] = inv_ack
  ==>
    invalidation[n] := no_inv;
    pending := exists m: NODE do m != n & invalidation[m] != no_inv end;
  end;

end;

rule "home receives a write-back"
  writing_back
==>
  writing_back := false;
  dirty := false;
end;

rule "home hears that the line is shared"
  report = now_shared
==>
  report := no_report;
  pending := false;
  dirty := false;
  for n: NODE do sharer[n] := n = owner | n = requester; end;
end;

rule "home hears who has the line"
  report = now_transferred
==>
  report := no_report;
  pending := false;
  owner := dirty ? requester : owner;
end;

rule "home hears that the line was not found"
  report = not_found
==>
  report := no_report;
  pending := false;
end;

invariant "one exclusive copy"
  forall m: NODE; n: NODE do
    m != n & copy[m] = exclusive -> copy[n] != exclusive
  end;

predicate "there are no exclusive copies" forall n: NODE do copy[n] != exclusive end;
predicate "there are no two exclusive copies"
  forall m: NODE; n: NODE do copy[m] = exclusive & copy[n] = exclusive -> m = n end;
predicate "there are no PUTX replies" forall n: NODE do message[n] != reply_putx end;
predicate "there are no two PUTX replies"
  forall m: NODE; n: NODE do message[m] = reply_putx & message[n] = reply_putx -> m = n end;
predicate "dirty" dirty;
predicate "a write-back is under way" writing_back;
predicate "the home node will hear that the line is shared" report = now_shared;
