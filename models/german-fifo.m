-- expect: safe   (explore: --size PROC=2 --integers 0..2 --deadlock off) (check: --engine indexed, slow)
--
-- German's cache coherence protocol over queues without a bound, three for every cache.
--
-- A home node owns one line of memory; any number of caches hold copies of it, either many to read or one to write. A cache
-- asks the home node, which revokes the copies that are in the way, waits until each of them is returned, and then grants the
-- request. Here no channel is ever full: a cache may ask many times before it gets an answer, and the home node may revoke a
-- right while its grant is still on the way. So it matters that every queue keeps the order of its messages.
--
-- german.m is the protocol with channels of one message. This version, proposed by Steven German, is the largest example of
-- S. Lahiri, R. Bryant: Constructing quantified invariants via predicate abstraction (VMCAI 2004).
--
-- What holds: while a cache may write, no other has a right.
--
-- A queue is an array without a bound, in which the messages are those from `first` to before `next`.

const
  PROCESSES: 3;

type
  PROC: scalarset(PROCESSES);
  RIGHT: enum { none, read, write };
  REQUEST: enum { no_request, ask_read, ask_write };
  ORDER: enum { give_read, give_write, revoke };

var
  right: array [PROC] of RIGHT;

  -- From each cache to the home node, what it asks for,
  asks: array [PROC] of record
    message: array [integer] of REQUEST;
    first, next: integer;
  end;
  -- from the home node to each cache,
  orders: array [PROC] of record
    message: array [integer] of ORDER;
    first, next: integer;
  end;
  -- and from each cache to the home node, that it has returned its copy: such a message has no content.
  returns: array [PROC] of record
    first, next: integer;
  end;

  home: record
    serves: REQUEST;
    client: PROC;        -- whom it serves, while it serves somebody
    writer: boolean;     -- the right to write was given, and has not come back
    holder: array [PROC] of boolean;
    revokes: array [PROC] of boolean;
  end;

startstate "init"
  for p: PROC do
    right[p] := none;
    asks[p].first := 0;
    asks[p].next := 0;
    orders[p].first := 0;
    orders[p].next := 0;
    returns[p].first := 0;
    returns[p].next := 0;
    home.holder[p] := false;
    home.revokes[p] := false;
  end;
  home.serves := no_request;
  home.writer := false;
end;

ruleset p: PROC do
  alias ask: asks[p]; order: orders[p]; back: returns[p] do

    rule "ask to read"
      right[p] = none
    ==>
      ask.message[ask.next] := ask_read;
      ask.next := ask.next + 1;
    end;

    rule "ask to write"
      right[p] != write
    ==>
      ask.message[ask.next] := ask_write;
      ask.next := ask.next + 1;
    end;

    rule "home accepts a request"
      home.serves = no_request & ask.first < ask.next
    ==>
      home.serves := ask.message[ask.first];
      home.client := p;
      undefine ask.message[ask.first];
      ask.first := ask.first + 1;
      for q: PROC do
        home.revokes[q] := home.holder[q];
      end;
    end;

    rule "home revokes a copy"
      home.revokes[p] & (home.serves = ask_write | home.serves = ask_read & home.writer)
    ==>
      order.message[order.next] := revoke;
      order.next := order.next + 1;
      home.revokes[p] := false;
    end;

    rule "cache returns its copy"
      order.first < order.next & order.message[order.first] = revoke
    ==>
      undefine order.message[order.first];
      order.first := order.first + 1;
      right[p] := none;
      back.next := back.next + 1;
    end;

    rule "home takes a copy back"
      home.serves != no_request & back.first < back.next
    ==>
      back.first := back.first + 1;
      home.holder[p] := false;
      home.writer := false;
    end;

    rule "home gives the right to read"
      home.serves = ask_read & home.client = p & !home.writer
    ==>
      order.message[order.next] := give_read;
      order.next := order.next + 1;
      home.holder[p] := true;
      home.serves := no_request;
      undefine home.client;
    end;

    rule "home gives the right to write"
      home.serves = ask_write & home.client = p & forall q: PROC do !home.holder[q] end
    ==>
      order.message[order.next] := give_write;
      order.next := order.next + 1;
      home.holder[p] := true;
      home.writer := true;
      home.serves := no_request;
      undefine home.client;
    end;

    rule "cache receives the right to read"
      order.first < order.next & order.message[order.first] = give_read
    ==>
      undefine order.message[order.first];
      order.first := order.first + 1;
      right[p] := read;
    end;

    rule "cache receives the right to write"
      order.first < order.next & order.message[order.first] = give_write
    ==>
      undefine order.message[order.first];
      order.first := order.first + 1;
      right[p] := write;
    end;

  end;
end;

invariant "a writer is alone"
  forall p: PROC do forall q: PROC do
    p != q & right[p] = write -> right[q] = none
  end end;

-- Predicates for any two caches `i` and `k`, and for any place `j` in the queues of the first. In the paper guards have no quantifiers, so that the
-- holders of copies are a queue, too, and one cache and one place are enough; here they are a set, and that there is only one takes two caches to say.

index
  i, k: PROC;
  j: integer;

predicate "somebody may write" home.writer;
predicate "serves a reader" home.serves = ask_read;
predicate "serves a writer" home.serves = ask_write;
predicate "same" i = k;
predicate "i is served" home.client = i;
predicate "i holds" home.holder[i];
predicate "k holds" home.holder[k];
predicate "i is to be revoked" home.revokes[i];
predicate "i reads" right[i] = read;
predicate "i writes" right[i] = write;
predicate "k has no right" right[k] = none;

predicate "orders are a queue" orders[i].first <= orders[i].next;
predicate "i has orders" orders[i].first < orders[i].next;
predicate "orders begin before j" orders[i].first <= j;
predicate "orders go on behind j" j < orders[i].next;
predicate "orders end with j" orders[i].next = j + 1;
predicate "give i the right to read" orders[i].message[j] = give_read;
predicate "give i the right to write" orders[i].message[j] = give_write;
predicate "revoke the right of i" orders[i].message[j] = revoke;

predicate "returns are a queue" returns[i].first <= returns[i].next;
predicate "i has returned" returns[i].first < returns[i].next;
predicate "i has returned once" returns[i].next = returns[i].first + 1;

predicate "requests are a queue" asks[i].first <= asks[i].next;
predicate "i asks" asks[i].first < asks[i].next;
predicate "requests begin before j" asks[i].first <= j;
predicate "requests go on behind j" j < asks[i].next;
predicate "requests end with j" asks[i].next = j + 1;
predicate "i asks to read" asks[i].message[j] = ask_read;
predicate "i asks to write" asks[i].message[j] = ask_write;
