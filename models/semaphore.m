-- expect: safe   (check: --ignore-predicates)
--
-- Mutual exclusion by a counting semaphore: any number of processes.
--
-- The semaphore is an integer that starts at one. To enter, a process waits until it is positive and takes one from it
-- in the same step; on leaving it adds one. Described in E. W. Dijkstra: Cooperating sequential processes (1965); with
-- a proof in Z. Manna, A. Pnueli: Temporal verification of reactive systems: safety (Springer 1995).
--
-- What holds: one process at most is in the critical section; the semaphore is never negative.

const
  PROCESSES: 3;

type
  PROC: scalarset(PROCESSES);
  PLACE: enum { idle, waiting, critical };

var
  place: array [PROC] of PLACE;
  semaphore: integer;

startstate "init"
  for p: PROC do place[p] := idle; end;
  semaphore := 1;
end;

ruleset p: PROC do

  rule "want"
    place[p] = idle
  ==>
    place[p] := waiting;
  end;

  rule "enter"
    place[p] = waiting & semaphore > 0
  ==>
    semaphore := semaphore - 1;
    place[p] := critical;
  end;

  rule "leave"
    place[p] = critical
  ==>
    semaphore := semaphore + 1;
    place[p] := idle;
  end;

end;

invariant "mutual exclusion"
  forall p: PROC; q: PROC do
    p != q & place[p] = critical -> place[q] != critical
  end;

invariant "never negative"
  semaphore >= 0;

predicate "some are inside" exists p: PROC do place[p] = critical end;
predicate "two are inside" exists p: PROC; q: PROC do p != q & place[p] = critical & place[q] = critical end;
predicate "open for one" semaphore = 1;
predicate "closed" semaphore = 0;
