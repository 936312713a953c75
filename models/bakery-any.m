-- expect: safe   (explore: --size PROC=3 --integers 0..4) (check: --ignore-predicates)
--
-- The bakery algorithm for any number of processes, with tickets that can become arbitrarily large.
--
-- A process that wants to enter draws a ticket larger than all others, waits until nobody has a smaller one, and throws
-- its ticket away on leaving; 0 is no ticket. A ticket is drawn in one step, and the others' tickets are looked at in
-- one step, so no two tickets are equal. Described in L. Lamport: A new solution of Dijkstra's concurrent programming
-- problem (CACM 17:8, 1974). bakery.m is the algorithm for two processes.
--
-- What holds: one process at most is in the critical section.
--
-- Tickets grow as long as somebody always waits, so exploration looks only at those within the window above.

const
  PROCESSES: 3;

type
  PROC: scalarset(PROCESSES);
  PLACE: enum { idle, waiting, critical };

var
  place: array [PROC] of PLACE;
  ticket: array [PROC] of integer;

startstate "init"
  for p: PROC do
    place[p] := idle;
    ticket[p] := 0;
  end;
end;

ruleset p: PROC do

  rule "draw"
    place[p] = idle
  ==>
    havoc ticket[p] where
      ticket[p] > 0 & forall q: PROC do q != p -> ticket[q] < ticket[p] end;
    place[p] := waiting;
  end;

  rule "enter"
    place[p] = waiting
    & forall q: PROC do q != p -> ticket[q] = 0 | ticket[p] < ticket[q] end
  ==>
    place[p] := critical;
  end;

  rule "leave"
    place[p] = critical
  ==>
    ticket[p] := 0;
    place[p] := idle;
  end;

end;

invariant "mutual exclusion"
  forall p: PROC; q: PROC do
    p != q & place[p] = critical -> place[q] != critical
  end;

predicate "two are inside"
  exists p: PROC; q: PROC do p != q & place[p] = critical & place[q] = critical end;
predicate "somebody without a ticket does not rest"
  exists p: PROC do place[p] != idle & ticket[p] <= 0 end;
predicate "somebody who rests has a ticket"
  exists p: PROC do place[p] = idle & ticket[p] != 0 end;
predicate "somebody is inside though another is before him"
  exists p: PROC; q: PROC do p != q & place[p] = critical & place[q] != idle & ticket[q] <= ticket[p] end;
