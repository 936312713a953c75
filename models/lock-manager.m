-- expect: safe
--
-- A lock manager that hands the lock on: when the holder releases it, the manager looks for a client that waits.
--
-- The search ends at the first client that it finds, by an early `return`; where nobody waits, the lock becomes free.
-- So a release never leaves the lock free while somebody waits. Lock managers of databases work so: J. Gray, A. Reuter:
-- Transaction processing: concepts and techniques (Morgan Kaufmann 1993), chapter 8.
--
-- What holds: one client at most holds the lock; if the lock is free, nobody holds it and nobody waits for it.

const
  CLIENTS: 4;

type
  CLIENT: scalarset(CLIENTS);
  STATE: enum { idle, waiting, holding };

var
  client: array [CLIENT] of STATE;
  free: boolean;

procedure hand_on();
begin
  for c: CLIENT do
    if client[c] = waiting then
      client[c] := holding;
      return;
    end;
  end;
  free := true;
end;

startstate "init"
  for c: CLIENT do client[c] := idle; end;
  free := true;
end;

ruleset c: CLIENT do

  rule "lock a free lock"
    client[c] = idle & free
  ==>
    client[c] := holding;
    free := false;
  end;

  rule "wait for the lock"
    client[c] = idle & !free
  ==>
    client[c] := waiting;
  end;

  rule "lose patience"
    client[c] = waiting
  ==>
    client[c] := idle;
  end;

  rule "release"
    client[c] = holding
  ==>
    client[c] := idle;
    hand_on();
  end;

end;

invariant "one holder"
  forall c: CLIENT; d: CLIENT do
    c != d & client[c] = holding -> client[d] != holding
  end;

invariant "a free lock is held by nobody"
  free -> forall c: CLIENT do client[c] != holding end;

invariant "nobody waits for a free lock"
  free -> forall c: CLIENT do client[c] != waiting end;
