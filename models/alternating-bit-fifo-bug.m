-- expect: unsafe
--
-- The alternating bit protocol of alternating-bit-fifo.m, with a sender that takes every answer for the one that it
-- awaits: an answer to a repeated packet then makes it skip an item.

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
  -- the bug: this should look whether `head(answers) = bit`
  item := (item + 1) % ITEMS;
  bit := 1 - bit;
  answers := tail(answers);
end;

invariant "at most one item ahead"
  due = (bit = expected ? item : (item + 1) % ITEMS);
