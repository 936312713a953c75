-- expect: safe   (explore: --integers 0..8) (check: --ignore-predicates)
--
-- The bakery algorithm for two processes, with tickets that can become arbitrarily large.
--
-- A process that wants to enter draws a ticket larger than the other's, waits until the other has none or a larger one,
-- and throws its ticket away on leaving; 0 is no ticket. A ticket is drawn in one step. Described in L. Lamport: A new
-- solution of Dijkstra's concurrent programming problem (CACM 17:8, 1974); in this form in Z. Manna, A. Pnueli:
-- Temporal verification of reactive systems: safety (Springer 1995). bakery-any.m is the algorithm for any number of
-- processes.
--
-- What holds: the two are never both in the critical section.
--
-- Tickets grow as long as one process always waits, so exploration looks only at those within the window above.

type
  PLACE: enum { idle, waiting, critical };

var
  place1, place2: PLACE;
  ticket1, ticket2: integer;

startstate "init"
  place1 := idle;
  place2 := idle;
  ticket1 := 0;
  ticket2 := 0;
end;

rule "first draws"
  place1 = idle
==>
  ticket1 := ticket2 + 1;
  place1 := waiting;
end;

rule "first enters"
  place1 = waiting & (ticket2 = 0 | ticket1 <= ticket2)
==>
  place1 := critical;
end;

rule "first leaves"
  place1 = critical
==>
  ticket1 := 0;
  place1 := idle;
end;

rule "second draws"
  place2 = idle
==>
  ticket2 := ticket1 + 1;
  place2 := waiting;
end;

rule "second enters"
  place2 = waiting & (ticket1 = 0 | ticket2 < ticket1)
==>
  place2 := critical;
end;

rule "second leaves"
  place2 = critical
==>
  ticket2 := 0;
  place2 := idle;
end;

invariant "mutual exclusion"
  !(place1 = critical & place2 = critical);

predicate "first is inside" place1 = critical;
predicate "second is inside" place2 = critical;
predicate "first rests" place1 = idle;
predicate "second rests" place2 = idle;
predicate "first has no ticket" ticket1 = 0;
predicate "second has no ticket" ticket2 = 0;
predicate "first is first" ticket1 <= ticket2;
predicate "tickets are not negative" ticket1 >= 0 & ticket2 >= 0;
