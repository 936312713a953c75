-- expect: unsafe   (explore: --integers 0..3)
--
-- The readers and writers of sifakis-79.m, where a writer starts as soon as one permit is free.

uninterpreted
  permits: integer;

axiom "there is a permit" permits >= 1;

var
  free: integer;              -- permits that nobody has
  wanting: integer;           -- readers that wait
  reading: integer;
  wishing: integer;           -- writers that wait
  writing: integer;

startstate "init"
  free := permits;
  wanting := 0;
  reading := 0;
  wishing := 0;
  writing := 0;
end;

rule "a reader comes"
  wanting := wanting + 1;
end;

rule "a writer comes"
  wishing := wishing + 1;
end;

rule "start to read"
  wanting > 0 & free > 0
==>
  wanting := wanting - 1;
  free := free - 1;
  reading := reading + 1;
end;

rule "stop to read"
  reading > 0
==>
  reading := reading - 1;
  free := free + 1;
end;

rule "start to write"
  wishing > 0 & free > 0    -- the bug: this should be `free = permits`
==>
  wishing := wishing - 1;
  free := 0;
  writing := writing + 1;
end;

rule "stop to write"
  writing > 0
==>
  writing := writing - 1;
  free := permits;
end;

invariant "readers and writers exclude each other"
  reading > 0 -> writing = 0;

invariant "one writer"
  writing <= 1;

predicate "nobody reads" reading = 0;
predicate "nobody writes" writing = 0;
predicate "one writes" writing = 1;
predicate "none is free" free = 0;
predicate "readers have the rest" free + reading = permits;
