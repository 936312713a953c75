-- expect: unsafe   (explore: --integers 0..4)
--
-- The alternating bit protocol of alternating-bit.m, with a sender that takes every answer for the one that it awaits.

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
  answer_sent    -- the bug: `& answer_bit = bit` is missing
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
