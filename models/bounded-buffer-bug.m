-- expect: unsafe
--
-- The bounded buffer of bounded-buffer.m, whose producer does not see that it is full.

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
  !storing & filled() <= SIZE    -- the bug: `<` is needed
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
