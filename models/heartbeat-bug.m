-- expect: unsafe   (explore: --integers 0..7 --deadlock off)
--
-- The failure detector of heartbeat.m, which forgets how long a heartbeat takes.

const
  NODES: 2;
  PERIOD: 2;
  DELAY: 1;

type
  NODE: scalarset(NODES);

var
  now: integer;
  up: array [NODE] of boolean;
  last_beat: array [NODE] of integer;     -- when the node sent its last heartbeat
  under_way: array [NODE] of boolean;     -- this heartbeat has not arrived
  last_heard: array [NODE] of integer;    -- when the monitor received the last one
  suspected: array [NODE] of boolean;

startstate "init"
  now := 0;
  for n: NODE do
    up[n] := true;
    last_beat[n] := 0;
    under_way[n] := false;
    last_heard[n] := 0;
    suspected[n] := false;
  end;
end;

-- Time does not go on beyond what a node or a message must not wait for.
rule "time goes on"
  forall n: NODE do
    (up[n] -> now < last_beat[n] + PERIOD) & (under_way[n] -> now < last_beat[n] + DELAY)
  end
==>
  now := now + 1;
end;

ruleset n: NODE do

  rule "send a heartbeat"
    up[n] & !under_way[n]
  ==>
    last_beat[n] := now;
    under_way[n] := true;
  end;

  rule "receive a heartbeat"
    under_way[n]
  ==>
    under_way[n] := false;
    last_heard[n] := now;
  end;

  rule "crash"
    up[n]
  ==>
    up[n] := false;
  end;

  rule "suspect"
    now > last_heard[n] + PERIOD    -- the bug: `+ DELAY` is missing
  ==>
    suspected[n] := true;
  end;

end;

invariant "who is suspected has crashed"
  forall n: NODE do suspected[n] -> !up[n] end;
