-- expect: safe
--
-- A bounded buffer between one producer and one consumer, without a lock.
--
-- The buffer is a ring of `SIZE` places. The producer alone moves `written`, the consumer alone moves `taken`; both
-- count modulo twice the size, which tells a full buffer from an empty one. An item is stored first and announced by
-- moving `written` in a second step, and likewise read before its place is given free. After L. Lamport: Specifying
-- concurrent program modules (TOPLAS 5:2, 1983).
--
-- What holds: items are taken in the order in which they were put in, none is lost and none comes twice; nobody reads
-- the place to which somebody else writes.
--
-- Items are numbered modulo `ITEMS`, which is more than fit into the buffer.

const
  SIZE: 3;
  ITEMS: 5;

type
  PLACE: 0..SIZE - 1;
  COUNTER: 0..2 * SIZE - 1;
  ITEM: 0..ITEMS - 1;

var
  buffer: array [PLACE] of ITEM;
  written: COUNTER;
  taken: COUNTER;
  storing: boolean;           -- the producer is at its place
  reading: boolean;           -- the consumer is at its place
  next: ITEM;                 -- to be put in
  expected: ITEM;             -- to be taken

function filled(): COUNTER;
begin
  return (written + 2 * SIZE - taken) % (2 * SIZE);
end;

startstate "init"
  for p: PLACE do buffer[p] := 0; end;
  written := 0;
  taken := 0;
  storing := false;
  reading := false;
  next := 0;
  expected := 0;
end;

rule "store"
  !storing & filled() < SIZE
==>
  storing := true;
  buffer[written % SIZE] := next;
end;

rule "announce"
  storing
==>
  storing := false;
  next := (next + 1) % ITEMS;
  written := (written + 1) % (2 * SIZE);
end;

rule "read"
  !reading & filled() > 0
==>
  reading := true;
  assert "items come in order" buffer[taken % SIZE] = expected;
end;

rule "give free"
  reading
==>
  reading := false;
  expected := (expected + 1) % ITEMS;
  taken := (taken + 1) % (2 * SIZE);
end;

invariant "no more than fits"
  filled() <= SIZE;

invariant "nobody writes where the other reads"
  storing & reading -> written % SIZE != taken % SIZE;
