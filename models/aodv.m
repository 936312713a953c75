-- expect: safe   (explore: --size NODE=3 --size MESSAGE=2 --integers 0..2 --deadlock off --max-depth 6) (check: --engine approximate --no-discovery)
--
-- Ad hoc on-demand distance vector routing (AODV), simplified: any number of nodes, any number of messages, hop counts
-- without a bound.
--
-- A node that has no route to another broadcasts a request. Each node that hears it learns a route back to where it
-- came from and, unless it has a route to the destination, passes the request on; else it replies, and the reply
-- travels back along the routes just learnt, leaving routes to the destination. Better routes replace worse ones.
-- Described in S. Das, D. Dill: Counter-example based predicate discovery in predicate abstraction (FMCAD 2002),
-- figures 4 and 5, without timeouts and sequence numbers; the protocol is that of C. Perkins, E. Royer: Ad hoc
-- on-demand distance vector routing (WMCSA 1999).
--
-- What holds: where the node a has a route to c by way of b, b has a route to c that is shorter. So routes have no
-- loops.
--
-- The model is the one printed there, where requests are sent with the receiver left open, and messages stay, so that
-- they can be heard again. Three differences: a request that is passed on has as its sender the node that passes it on
-- (printed is the node from which it came; the predicates that the paper reports need ours); whether there is a route
-- is asked before how long it is; and messages can be lost, lest a small network of messages fills up.

const
  NODES: 3;
  MESSAGES: 2;

type
  NODE: scalarset(NODES);
  MESSAGE: scalarset(MESSAGES);
  SORT: enum { invalid, request, reply };

uninterpreted
  a, b, c: NODE;

axiom "three nodes" a != b & b != c & a != c;

var
  has_route: array [NODE] of array [NODE] of boolean;
  route: array [NODE] of array [NODE] of NODE;         -- the next node on the way
  hops: array [NODE] of array [NODE] of integer;
  queue: array [MESSAGE] of record
    sort: SORT;
    src, dst: NODE;            -- of the request or of the reply as a whole
    sender, receiver: NODE;    -- of this hop
    hops: integer;
  end;

startstate "init"
  for m: MESSAGE do queue[m].sort := invalid; end;
  for m: NODE do for n: NODE do has_route[m][n] := false; end; end;
end;

ruleset m: MESSAGE; s: NODE; d: NODE do
  rule "request a route"
    queue[m].sort = invalid & !has_route[s][d]
  ==>
    queue[m].sort := request;
    queue[m].src := s;
    queue[m].dst := d;
    queue[m].sender := s;
    havoc queue[m].receiver;
    queue[m].hops := 0;
  end;
end;

ruleset m: MESSAGE do
  rule "lose a message"
    queue[m].sort != invalid
  ==>
    undefine queue[m];
    queue[m].sort := invalid;
  end;
end;

ruleset m: MESSAGE; o: MESSAGE do

  rule "receive a reply"
    queue[m].sort = reply & queue[o].sort = invalid
  ==>
    alias self: queue[m].receiver; source: queue[m].src; goal: queue[m].dst; neighbour: queue[m].sender do
      -- a route to the neighbour
      has_route[self][neighbour] := true;
      route[self][neighbour] := neighbour;
      hops[self][neighbour] := 1;
      -- a route to the source of the reply, if it is better
      if !has_route[self][source] | hops[self][source] > queue[m].hops then
        has_route[self][source] := true;
        route[self][source] := neighbour;
        hops[self][source] := queue[m].hops + 1;
      end;
      -- pass the reply on
      if self != goal & has_route[self][goal] then
        queue[o].sort := reply;
        queue[o].src := source;
        queue[o].dst := goal;
        queue[o].sender := self;
        queue[o].receiver := route[self][goal];
        queue[o].hops := hops[self][source];
      end;
    end;
  end;

  rule "receive a request"
    queue[m].sort = request & queue[o].sort = invalid
  ==>
    alias self: queue[m].receiver; source: queue[m].src; goal: queue[m].dst; neighbour: queue[m].sender do
      -- a route to the neighbour
      has_route[self][neighbour] := true;
      route[self][neighbour] := neighbour;
      hops[self][neighbour] := 1;
      -- a route to the source of the request, if it is better
      if !has_route[self][source] | hops[self][source] > queue[m].hops then
        has_route[self][source] := true;
        route[self][source] := neighbour;
        hops[self][source] := queue[m].hops + 1;
      end;
      if goal = self then
        -- the request has arrived
        queue[o].sort := reply;
        queue[o].src := goal;
        queue[o].dst := source;
        queue[o].sender := self;
        queue[o].receiver := neighbour;
        queue[o].hops := 0;
      elsif has_route[self][goal] then
        -- the way is known from here
        queue[o].sort := reply;
        queue[o].src := goal;
        queue[o].dst := source;
        queue[o].sender := self;
        queue[o].receiver := neighbour;
        queue[o].hops := hops[self][goal];
      else
        -- pass the request on
        queue[o].sort := request;
        queue[o].src := source;
        queue[o].dst := goal;
        queue[o].sender := self;
        havoc queue[o].receiver;
        queue[o].hops := queue[m].hops + 1;
      end;
    end;
  end;

end;

invariant "routes get shorter"
  has_route[a][c] & route[a][c] = b -> has_route[b][c] & hops[a][c] > hops[b][c];

predicate "a has a route to c" has_route[a][c];
predicate "a's route leads to b" route[a][c] = b;
predicate "b has a route to c" has_route[b][c];
predicate "a's route is longer than b's" hops[a][c] > hops[b][c];
predicate "b passes on a message from c without a route to it, or in fewer hops than it knows"
  exists m: MESSAGE do
    queue[m].sort != invalid & queue[m].sender = b & queue[m].src = c
    & (!has_route[b][c] | hops[b][c] > queue[m].hops)
  end;
predicate "a message from c has made less than no hops"
  exists m: MESSAGE do queue[m].sort != invalid & queue[m].src = c & queue[m].hops < 0 end;
predicate "a route to c has no hop" exists n: NODE do has_route[n][c] & hops[n][c] < 1 end;
