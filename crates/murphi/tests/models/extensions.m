-- Every extension of Cubist's to the Murphi language.

type
  Node: scalarset(3);
  Message: record
    sender: Node;
    ticket: integer;                              -- unbounded integers
  end;
  Queue: list of Message;                         -- lists of any length
  Log: array [integer] of boolean;                -- arrays over all integers

uninterpreted                                     -- constants, functions and relations that never change
  leader: Node;
  first, limit: integer;
  next(n: Node): Node;
  between(a, b, c: Node): boolean;

axiom "limit" first < limit;
axiom "between is not empty" forall a: Node do forall b: Node do between(a, b, b) end end;
axiom forall n: Node do next(n) = n -> n = leader end;

var
  ticket: integer;
  queue: Queue;
  seen: Log;
  holder: Node;
  edge: array [Node] of array [Node] of boolean;
  reach: array [Node] of array [Node] of boolean; -- "there is a way of edges", changed together with them
  index: 0..2;                                    -- the new words are still names where a name stands

startstate "empty"
begin
  ticket := first;
  queue := [];
  holder := leader;
  index := 0;
  for i: Node do
    for j: Node do
      edge[i][j] := false;
      reach[i][j] := i = j;
    end;
  end;
  havoc seen where forall t: integer do !seen[t] end;
end;

ruleset n: Node do
  rule "send"
    length(queue) < 2 & ticket < limit
  ==>
    var m: Message;
  begin
    m.sender := n;
    m.ticket := ticket;
    queue := append(queue, m);
    ticket := ticket + 1;
  end;

  rule "pass on"
    holder = n
  ==>
  begin
    havoc holder where holder = next(n) | between(n, holder, leader);
  end;

  rule "forget"
    queue != [] & index = 0
  ==>
  begin
    clear queue;
    index := (index + 1) % 3;
  end;
end;

rule "receive"
  !empty(queue)
==>
begin
  alias m: head(queue) do
    seen[m.ticket] := true;
  end;
  queue := tail(queue);
end;

ruleset a: Node; b: Node do
  rule "connect"
    !edge[a][b]
  ==>
  begin
    edge[a][b] := true;
    havoc reach where
      (forall i: Node do reach[i][i] end) &
      (forall i: Node do forall j: Node do edge[i][j] -> reach[i][j] end end) &
      (forall i: Node do forall j: Node do forall k: Node do
         reach[i][j] & reach[j][k] -> reach[i][k]
       end end end);
  end;
end;

rule "anything"
  index = 1
==>
begin
  havoc ticket, index;
end;

index i, j: Node; t: integer;

predicate "sent" ticket > first;
predicate "way" reach[i][j];
predicate "seen" seen[t] & t < ticket;
predicate forall n: Node do edge[i][n] -> n = j end;

invariant "edges are ways" forall i: Node do forall j: Node do edge[i][j] -> reach[i][j] end end;
invariant "short queue" length(queue) <= 2;

liveness "always again empty" empty(queue);
