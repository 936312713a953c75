-- expect: safe   (explore: --size PROC=3 --integers 0..5) (check: --engine approximate --no-discovery, slow)
--
-- The ticket algorithm: mutual exclusion of any number of processes by unbounded tickets.
--
-- A process that wants to enter takes the next ticket, in one step, and waits until this ticket is served; on leaving,
-- it has the next one served. Described in G. R. Andrews: Concurrent programming: principles and practice
-- (Benjamin/Cummings 1991), section 3.3; the idea is that of D. P. Reed, R. K. Kanodia: Synchronization with
-- eventcounts and sequencers (CACM 22:2, 1979).
--
-- What holds: one process at most is in the critical section.
--
-- Tickets grow for ever, so exploration looks only at those within the window above.

const
  PROCESSES: 3;

type
  PROC: scalarset(PROCESSES);
  PLACE: enum { idle, waiting, critical };

var
  place: array [PROC] of PLACE;
  ticket: array [PROC] of integer;
  next: integer;
  served: integer;

startstate "init"
  for p: PROC do
    place[p] := idle;
    ticket[p] := 0;
  end;
  next := 0;
  served := 0;
end;

ruleset p: PROC do

  rule "take a ticket"
    place[p] = idle
  ==>
    ticket[p] := next;
    next := next + 1;
    place[p] := waiting;
  end;

  rule "enter"
    place[p] = waiting & ticket[p] = served
  ==>
    place[p] := critical;
  end;

  rule "leave"
    place[p] = critical
  ==>
    served := served + 1;
    place[p] := idle;
  end;

end;

invariant "mutual exclusion"
  forall p: PROC; q: PROC do
    p != q & place[p] = critical -> place[q] != critical
  end;

predicate "two are inside"
  exists p: PROC; q: PROC do p != q & place[p] = critical & place[q] = critical end;
predicate "somebody is inside though not served"
  exists p: PROC do place[p] = critical & ticket[p] != served end;
predicate "somebody has a ticket that is not yet given out"
  exists p: PROC do place[p] != idle & ticket[p] >= next end;
predicate "two have the same ticket"
  exists p: PROC; q: PROC do p != q & place[p] != idle & place[q] != idle & ticket[p] = ticket[q] end;
