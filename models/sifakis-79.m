-- expect: safe   (explore: --integers 0..3) (check: --ignore-predicates)
--
-- Readers and writers as a net of counters: any number of either, at most `permits` readers at a time.
--
-- There are as many permits as an arbitrary number says. A reader takes one while it reads; a writer needs all of them
-- at once, and gives all back. Table 4.1 of S. Das: Predicate abstraction (thesis, Stanford 2003) lists `Sifakis '79'
-- without a description or a reference. We take readers and writers as a net whose places are counted, the kind of
-- system for which J. Sifakis gave linear place invariants at that time (Structural properties of Petri nets, MFCS
-- 1978; his thesis Le controle des systemes asynchrones, Grenoble 1979).
--
-- What holds: while somebody writes, nobody reads, and nobody else writes.
--
-- Any number of readers and writers may wait, so exploration is bounded by the window above.

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
  wishing > 0 & free = permits
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
