-- expect: safe   (explore: --integers 0..12 --deadlock off)
--
-- Leases: a server lends a file to one client at a time, until a time that both know.
--
-- While its lease lasts, a client writes to its copy without asking. It may ask for a longer lease before the end. The
-- server lends the file again only when the lease is over by its own clock: no message is needed, so that a client that
-- has crashed blocks nobody for long. The clock of a client may be behind that of the server, but never by more than
-- `DRIFT`, and the server waits that long. Described in C. G. Gray, D. R. Cheriton: Leases: an efficient fault-tolerant
-- mechanism for distributed file cache consistency (SOSP 1989).
--
-- What holds: two clients never write at the same time, for every number of clients.
--
-- Time goes on for ever, so exploration looks only at times within the window above.

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
  lent & now >= until + DRIFT
==>
  lent := false;
end;

invariant "one writer"
  forall c: CLIENT; d: CLIENT do
    c != d & writing[c] -> !writing[d]
  end;
