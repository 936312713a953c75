-- expect: safe   (explore: --integers 0..4) (check: --ignore-predicates)
--
-- The alternating bit protocol: items arrive once each and in order over channels that lose and repeat messages.
--
-- The sender sends its current item with a bit, again and again, until the same bit comes back; then it takes the next
-- item and flips the bit. The receiver returns the bit of each packet that it gets, and takes the item only where the
-- bit is the one that it expects. Described in K. A. Bartlett, R. A. Scantlebury, P. T. Wilkinson: A note on reliable
-- full-duplex transmission over half-duplex links (CACM 12:5, 1969).
--
-- What holds: the receiver takes the items in the order in which the sender has them, and is never more than one ahead
-- of the acknowledgements.
--
-- Items are numbered without a bound, so exploration looks only at those within the window above. Each channel holds
-- one message at most. alternating-bit-fifo.m is the protocol over queues.

var
  item: integer;          -- the sender's, which it sends with `bit`
  bit: boolean;
  due: integer;           -- the receiver's, which it awaits with `expected`
  expected: boolean;
  packet_sent: boolean;   -- the channel to the receiver is not empty
  packet_item: integer;
  packet_bit: boolean;
  answer_sent: boolean;   -- the channel to the sender is not empty
  answer_bit: boolean;
  wrong: boolean;         -- the receiver has taken an item that was not due

startstate "init"
  item := 0;
  bit := false;
  due := 0;
  expected := false;
  packet_sent := false;
  packet_item := 0;
  packet_bit := false;
  answer_sent := false;
  answer_bit := false;
  wrong := false;
end;

rule "send"
  !packet_sent
==>
  packet_sent := true;
  packet_item := item;
  packet_bit := bit;
end;

rule "lose the packet"
  packet_sent
==>
  packet_sent := false;
end;

rule "receive a new packet"
  packet_sent & packet_bit = expected & !answer_sent
==>
  wrong := wrong | packet_item != due;
  due := due + 1;
  expected := !expected;
  answer_sent := true;
  answer_bit := packet_bit;
  packet_sent := false;
end;

rule "receive a packet again"
  packet_sent & packet_bit != expected & !answer_sent
==>
  answer_sent := true;
  answer_bit := packet_bit;
  packet_sent := false;
end;

rule "lose the answer"
  answer_sent
==>
  answer_sent := false;
end;

rule "receive the answer"
  answer_sent & answer_bit = bit
==>
  item := item + 1;
  bit := !bit;
  answer_sent := false;
end;

rule "receive an old answer"
  answer_sent & answer_bit != bit
==>
  answer_sent := false;
end;

invariant "the receiver takes the item that is due"
  !wrong;

invariant "at most one item ahead"
  due = item | due = item + 1;

predicate "an item was wrong" wrong;
predicate "same item" due = item;
predicate "one ahead" due = item + 1;
predicate "same bit" bit = expected;
predicate "a packet is under way" packet_sent;
predicate "the packet has the sender's bit" packet_bit = bit;
predicate "the packet has the bit expected" packet_bit = expected;
predicate "the packet has the sender's item" packet_item = item;
predicate "the packet has the item due" packet_item = due;
predicate "an answer is under way" answer_sent;
predicate "the answer has the sender's bit" answer_bit = bit;
