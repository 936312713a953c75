-- expect: safe   (explore: --deadlock off)
--
-- Reliable broadcast: if a node that stays up delivers a message, all nodes that stay up do so, even if the sender
-- crashes while it sends.
--
-- Who receives the message for the first time passes it on to all nodes before it delivers it. The sender may crash in
-- the middle: then only some of the channels have got its message. A node that crashes later does so between two steps,
-- and what it has sent still arrives. Described in V. Hadzilacos, S. Toueg: A modular approach to fault-tolerant
-- broadcasts and related problems (Cornell TR 94-1425, 1994).
--
-- What holds: nothing is delivered that was not sent; who delivers has sent the message to all others; and when no
-- message is under way, either all nodes that are up have delivered, or none of them.
--
-- There is one message only, so there is an end: exploration does not ask for deadlocks.

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
    channel[n][m] := false;
    send_to_all(m);
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
