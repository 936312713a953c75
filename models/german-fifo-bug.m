-- expect: unsafe   (explore: --size PROC=2 --integers 0..3 --deadlock off)
--
-- German's protocol over queues, where an order to return a copy overtakes those before it: a right that was revoked is still
-- received afterwards. See german-fifo.m for the protocol as it should be.

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
      -- the bug: it looks at the newest message, at `order.next - 1`, instead of the oldest
      order.first < order.next & order.message[order.next - 1] = revoke
    ==>
      undefine order.message[order.next - 1];
      order.next := order.next - 1;
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
