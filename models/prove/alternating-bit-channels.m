-- expect: safe   (explore: --integers 0..3)
--
-- The alternating bit protocol over channels without a bound (K. A. Bartlett, R. A. Scantlebury, P. T. Wilkinson: A
-- note on reliable full-duplex transmission over half-duplex links, CACM 12, 1969): messages and acknowledgements wait
-- in queues, and can be lost at their heads. A message is begun when the one before it is acknowledged, so that sender
-- and receiver are at most one message apart. That rests on facts about all that is in a queue: bits of one kind, and
-- then of the other.

type
  BIT: enum { zero, one };

var
  sending: BIT;                        -- of the message that is being sent
  seen: BIT;                           -- of the message that was received last
  sent: integer;                       -- messages, with the one that is being sent
  received: integer;
  messages: array [integer] of BIT;    -- from `first` up to, and without, `last`
  first: integer;
  last: integer;
  acks: array [integer] of BIT;
  first_ack: integer;
  last_ack: integer;

startstate "start"
  sending := one;
  seen := zero;
  sent := 1;
  received := 0;
  first := 0;
  last := 0;
  first_ack := 0;
  last_ack := 0;
  clear messages;
  clear acks;
end;

rule "send"
  true
==>
  messages[last] := sending;
  last := last + 1;
end;

rule "receive"
  first < last & messages[first] != seen
==>
  seen := messages[first];
  received := received + 1;
  first := first + 1;
end;

rule "lose"
  first < last
==>
  first := first + 1;
end;

rule "acknowledge"
  true
==>
  acks[last_ack] := seen;
  last_ack := last_ack + 1;
end;

rule "next message"
  first_ack < last_ack & acks[first_ack] = sending
==>
  sending := (sending = zero ? one : zero);
  sent := sent + 1;
  first_ack := first_ack + 1;
end;

rule "lose acknowledgement"
  first_ack < last_ack
==>
  first_ack := first_ack + 1;
end;

invariant "at most one message apart"
  received <= sent & sent <= received + 1;
