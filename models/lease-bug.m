-- expect: unsafe   (explore: --integers 0..6 --deadlock off)
--
-- The leases of lease.m, where the server does not wait for clients whose clocks are behind.

const
  CLIENTS: 2;
  TERM: 2;                -- how long a lease lasts
  DRIFT: 1;               -- how far the clock of a client may be behind

type
  CLIENT: scalarset(CLIENTS);

var
  now: integer;                               -- the clock of the server
  lent: boolean;
  holder: CLIENT;
  until: integer;                             -- the end of the lease, as the server knows it
  clock: array [CLIENT] of integer;
  writing: array [CLIENT] of boolean;
  allowed_until: array [CLIENT] of integer;   -- the end of the lease, as the client knows it

startstate "init"
  now := 0;
  lent := false;
  havoc holder;
  until := 0;
  for c: CLIENT do
    clock[c] := 0;
    writing[c] := false;
    allowed_until[c] := 0;
  end;
end;

rule "the server's clock ticks"
  forall c: CLIENT do clock[c] + DRIFT >= now + 1 end
==>
  now := now + 1;
end;

ruleset c: CLIENT do

  rule "a client's clock ticks"
    clock[c] < now & (writing[c] -> clock[c] + 1 < allowed_until[c])
  ==>
    clock[c] := clock[c] + 1;
  end;

  rule "lend"
    !lent
  ==>
    lent := true;
    holder := c;
    until := now + TERM;
    allowed_until[c] := now + TERM;
  end;

  rule "renew"
    lent & holder = c
  ==>
    until := now + TERM;
    allowed_until[c] := now + TERM;
  end;

  rule "begin to write"
    !writing[c] & clock[c] < allowed_until[c]
  ==>
    writing[c] := true;
  end;

  rule "stop writing"
    writing[c]
  ==>
    writing[c] := false;
  end;

end;

rule "the lease is over"
  lent & now >= until    -- the bug: `+ DRIFT` is missing
==>
  lent := false;
end;

invariant "one writer"
  forall c: CLIENT; d: CLIENT do
    c != d & writing[c] -> !writing[d]
  end;
