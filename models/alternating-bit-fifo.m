-- expect: safe
--
-- The alternating bit protocol over queues: items arrive once each and in order over channels that lose and repeat
-- messages.
--
-- The sender sends its current item with a bit, again and again, until the same bit comes back; then it takes the next
-- item and flips the bit. The receiver returns the bit of each packet that it gets, and takes the item only where the
-- bit is the one that it expects. Described in K. A. Bartlett, R. A. Scantlebury, P. T. Wilkinson: A note on reliable
-- full-duplex transmission over half-duplex links (CACM 12:5, 1969).
--
-- What holds: the receiver takes the items in the order in which the sender has them, and is never more than one ahead
-- of the acknowledgements.
--
-- The channels are lists, an extension of Murphi. Lists have no bound, so the guards keep the channels short:
-- exploration then ends. A proof needs no such bound. alternating-bit.m has channels of one message, and items without
-- a bound.

const
  ITEMS: 3;         -- items are numbered modulo this
  CAPACITY: 3;      -- of each channel

type
  BIT: 0..1;
  ITEM: 0..ITEMS - 1;
  PACKET: 0..2 * ITEMS - 1;    -- an item and a bit

var
  packets: list of PACKET;
  answers: list of BIT;
  item: ITEM;       -- the sender's, which it sends with `bit`
  bit: BIT;
  due: ITEM;        -- the receiver's, which it awaits with `expected`
  expected: BIT;

startstate "init"
  packets := [];
  answers := [];
  item := 0;
  bit := 0;
  due := 0;
  expected := 0;
end;

rule "send"
  length(packets) < CAPACITY
==>
  packets := append(packets, 2 * item + bit);
end;

rule "lose a packet"
  !empty(packets)
==>
  packets := tail(packets);
end;

rule "receive a packet"
  !empty(packets) & length(answers) < CAPACITY
==>
  var arrived: BIT;
begin
  arrived := head(packets) % 2;
  if arrived = expected then
    assert head(packets) / 2 = due "the receiver takes the item that is due";
    due := (due + 1) % ITEMS;
    expected := 1 - expected;
  end;
  answers := append(answers, arrived);
  packets := tail(packets);
end;

rule "lose an answer"
  !empty(answers)
==>
  answers := tail(answers);
end;

rule "receive an answer"
  !empty(answers)
==>
  if head(answers) = bit then
    item := (item + 1) % ITEMS;
    bit := 1 - bit;
  end;
  answers := tail(answers);
end;

invariant "at most one item ahead"
  due = (bit = expected ? item : (item + 1) % ITEMS);
