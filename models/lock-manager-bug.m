-- expect: unsafe
--
-- The lock manager of lock-manager.m, which goes on with its search after it has found a client.

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
      client[c] := holding;    -- the bug: `return` is missing, so that all who wait get the lock
    end;
  end;
  free := forall c: CLIENT do client[c] != holding end;
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
