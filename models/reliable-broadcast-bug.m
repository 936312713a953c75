-- expect: unsafe   (explore: --deadlock off)
--
-- The reliable broadcast of reliable-broadcast.m, where a node that receives the message does not pass it on.

const
  NODES: 3;

type
  NODE: scalarset(NODES);

var
  up: array [NODE] of boolean;
  delivered: array [NODE] of boolean;
  channel: array [NODE] of array [NODE] of boolean;     -- the message is under way from the first to the second
  was_sent: boolean;

procedure send_to_all(sender: NODE);
begin
  for receiver: NODE do
    channel[sender][receiver] := true;
  end;
end;

startstate "init"
  for n: NODE do
    up[n] := true;
    delivered[n] := false;
    for m: NODE do channel[n][m] := false; end;
  end;
  was_sent := false;
end;

ruleset n: NODE do

  rule "broadcast"
    up[n] & !was_sent
  ==>
    was_sent := true;
    send_to_all(n);
    delivered[n] := true;
  end;

  rule "crash"
    up[n]
  ==>
    up[n] := false;
  end;

end;

ruleset n: NODE; m: NODE do

  rule "begin to broadcast, reach one node and crash"
    up[n] & !was_sent
  ==>
    was_sent := true;
    channel[n][m] := true;
    up[n] := false;
  end;

  rule "receive for the first time"
    channel[n][m] & up[m] & !delivered[m]
  ==>
    channel[n][m] := false;    -- the bug: `send_to_all(m)` is missing
    delivered[m] := true;
  end;

  rule "receive again"
    channel[n][m] & (delivered[m] | !up[m])
  ==>
    channel[n][m] := false;
  end;

end;

invariant "nothing from nowhere"
  forall n: NODE do delivered[n] -> was_sent end;

invariant "nobody is forgotten"
  forall n: NODE; m: NODE do delivered[n] & up[m] -> delivered[m] | channel[n][m] end;

invariant "all or none"
  (forall n: NODE; m: NODE do !channel[n][m] end)
  -> forall n: NODE; m: NODE do up[n] & up[m] & delivered[n] -> delivered[m] end;
