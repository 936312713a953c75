-- expect: safe   (check: --ignore-predicates)
--
-- German's cache coherence protocol, with data.
--
-- A home node owns one line of memory; any number of caches hold copies of it, either many to read or one to write.
-- A cache asks the home node, which revokes the copies that are in the way, waits until each of them is returned, and
-- then grants the request. Every cache has three channels of one message each: `asks` and `returned` to the home
-- node, `order` from it.
--
-- Steven German posed it as a challenge for proofs that hold for every number of caches. It is described in
-- A. Pnueli, S. Ruah, L. Zuck: Automatic deductive verification with invisible invariants (TACAS 2001), and in
-- S. Lahiri, R. Bryant: Constructing quantified invariants via predicate abstraction (VMCAI 2004), section 5.
--
-- What holds: while a cache may write, no other has a copy; a copy that may be read has the value written last; so has
-- the memory, while nobody may write.

const
  PROCESSES: 3;
  VALUES: 2;

type
  PROC: scalarset(PROCESSES);
  DATA: scalarset(VALUES);
  RIGHT: enum { none, read, write };
  REQUEST: enum { no_request, ask_read, ask_write };
  ORDER: enum { no_order, give_read, give_write, revoke };

var
  cache: array [PROC] of record
    right: RIGHT;
    copy: DATA;          -- undefined while the right is `none`
    asks: REQUEST;
    order: ORDER;
    ordered: DATA;       -- the value that comes with a grant
    returned: boolean;
    result: DATA;        -- the value that a writer returns
  end;
  home: record
    serves: REQUEST;
    client: PROC;        -- whom it serves, while it serves somebody
    writer: boolean;     -- the right to write was given, and has not come back
    holder: array [PROC] of boolean;
    revokes: array [PROC] of boolean;
    memory: DATA;
  end;
  latest: DATA;          -- for the properties only: the value written last

ruleset d: DATA do
  startstate "init"
    for p: PROC do
      cache[p].right := none;
      cache[p].asks := no_request;
      cache[p].order := no_order;
      cache[p].returned := false;
      home.holder[p] := false;
      home.revokes[p] := false;
    end;
    home.serves := no_request;
    home.writer := false;
    home.memory := d;
    latest := d;
  end;
end;

ruleset p: PROC do
  alias mine: cache[p] do

    rule "ask to read"
      mine.asks = no_request & mine.right = none
    ==>
      mine.asks := ask_read;
    end;

    rule "ask to write"
      mine.asks = no_request & mine.right != write
    ==>
      mine.asks := ask_write;
    end;

    rule "home accepts a request"
      home.serves = no_request & mine.asks != no_request
    ==>
      home.serves := mine.asks;
      home.client := p;
      mine.asks := no_request;
      for q: PROC do
        home.revokes[q] := home.holder[q];
      end;
    end;

    rule "home revokes a copy"
      mine.order = no_order & home.revokes[p]
      & (home.serves = ask_write | home.serves = ask_read & home.writer)
    ==>
      mine.order := revoke;
      home.revokes[p] := false;
    end;

    rule "cache returns its copy"
      mine.order = revoke & !mine.returned
    ==>
      mine.order := no_order;
      mine.returned := true;
      if mine.right = write then
        mine.result := mine.copy;
      end;
      mine.right := none;
      undefine mine.copy;
    end;

    rule "home takes a copy back"
      mine.returned & home.serves != no_request
    ==>
      mine.returned := false;
      home.holder[p] := false;
      if home.writer then
        home.writer := false;
        home.memory := mine.result;
        undefine mine.result;
      end;
    end;

    rule "home gives the right to read"
      home.serves = ask_read & home.client = p & !home.writer & mine.order = no_order
    ==>
      home.holder[p] := true;
      mine.order := give_read;
      mine.ordered := home.memory;
      home.serves := no_request;
      undefine home.client;
    end;

    rule "home gives the right to write"
      home.serves = ask_write & home.client = p & mine.order = no_order
      & forall q: PROC do !home.holder[q] end
    ==>
      home.holder[p] := true;
      home.writer := true;
      mine.order := give_write;
      mine.ordered := home.memory;
      home.serves := no_request;
      undefine home.client;
    end;

    rule "cache receives a right"
      mine.order = give_read | mine.order = give_write
    ==>
      mine.right := mine.order = give_read ? read : write;
      mine.copy := mine.ordered;
      mine.order := no_order;
      undefine mine.ordered;
    end;

    ruleset d: DATA do
      rule "cache writes"
        mine.right = write
      ==>
        mine.copy := d;
        latest := d;
      end;
    end;

  end;
end;

invariant "a writer is alone"
  forall p: PROC do forall q: PROC do
    p != q & cache[p].right = write -> cache[q].right = none
  end end;

invariant "copies are up to date"
  forall p: PROC do
    cache[p].right != none -> cache[p].copy = latest
  end;

invariant "memory is up to date unless somebody writes"
  home.writer | home.memory = latest;

-- Predicates for any two caches, as in the paper of Lahiri and Bryant. Without them (--ignore-predicates) others are found.

index
  i, j: PROC;

predicate "somebody may write" home.writer;
predicate "serves nobody" home.serves = no_request;
predicate "serves a reader" home.serves = ask_read;
predicate "serves a writer" home.serves = ask_write;
predicate "same" i = j;
predicate "i writes" cache[i].right = write;
predicate "i reads" cache[i].right = read;
predicate "i is granted writing" cache[i].order = give_write;
predicate "i is granted reading" cache[i].order = give_read;
predicate "i is revoked" cache[i].order = revoke;
predicate "i returned" cache[i].returned;
predicate "i holds" home.holder[i];
predicate "i is to be revoked" home.revokes[i];
predicate "j has no right" cache[j].right = none;
predicate "j is granted writing" cache[j].order = give_write;
predicate "j is granted reading" cache[j].order = give_read;
predicate "j holds" home.holder[j];
