-- expect: safe   (explore: --size PROC=3) (check: --ignore-predicates)
--
-- Burns' algorithm: mutual exclusion of any number of processes, each with one shared bit.
--
-- The processes have an order. A process that wants to enter looks at the flags of all processes before it, one at a
-- time; if one is up, it starts again, else it raises its own flag and looks at those before it once more. If one is up
-- now, it takes its flag down and starts again, else it waits until it has seen the flag of each process after it down,
-- and enters. Described in J. E. Burns: Symmetry in systems of asynchronous processes (FOCS 1981), and in H. Jensen, N.
-- Lynch: A proof of Burns n-process mutual exclusion algorithm using abstraction (TACAS 1998), from where the sets of
-- processes seen are.
--
-- What holds: one process at most is in the critical section.
--
-- `seen[p][q]`: p has seen the flag of q down in its present round.

const
  PROCESSES: 3;

type
  PROC: scalarset(PROCESSES);
  PLACE: enum { idle, looking, checking, waiting, critical };

uninterpreted
  before(a, b: PROC): boolean;

axiom "nobody is before himself" forall a: PROC do !before(a, a) end;
axiom "of two, one is before the other" forall a: PROC; b: PROC do a = b | before(a, b) | before(b, a) end;
axiom "before is transitive" forall a: PROC; b: PROC; c: PROC do before(a, b) & before(b, c) -> before(a, c) end;

var
  place: array [PROC] of PLACE;
  flag: array [PROC] of boolean;
  seen: array [PROC] of array [PROC] of boolean;

startstate "init"
  for p: PROC do
    place[p] := idle;
    flag[p] := false;
    for q: PROC do seen[p][q] := false; end;
  end;
end;

ruleset p: PROC do

  rule "want"
    place[p] = idle
  ==>
    place[p] := looking;
    for q: PROC do seen[p][q] := false; end;
  end;

  rule "raise the flag"
    place[p] = looking & forall q: PROC do before(q, p) -> seen[p][q] end
  ==>
    flag[p] := true;
    place[p] := checking;
    for q: PROC do seen[p][q] := false; end;
  end;

  rule "wait for the others"
    place[p] = checking & forall q: PROC do before(q, p) -> seen[p][q] end
  ==>
    place[p] := waiting;
  end;

  rule "enter"
    place[p] = waiting & forall q: PROC do before(p, q) -> seen[p][q] end
  ==>
    place[p] := critical;
  end;

  rule "leave"
    place[p] = critical
  ==>
    flag[p] := false;
    place[p] := idle;
    for q: PROC do seen[p][q] := false; end;
  end;

end;

ruleset p: PROC; q: PROC do

  rule "see a flag down"
    (place[p] = looking | place[p] = checking) & before(q, p) & !flag[q]
  ==>
    seen[p][q] := true;
  end;

  rule "see a flag up"
    place[p] = looking & before(q, p) & flag[q]
  ==>
    for r: PROC do seen[p][r] := false; end;
  end;

  rule "take the flag down again"
    place[p] = checking & before(q, p) & flag[q]
  ==>
    flag[p] := false;
    place[p] := looking;
    for r: PROC do seen[p][r] := false; end;
  end;

  rule "see a later flag down"
    place[p] = waiting & before(p, q) & !flag[q]
  ==>
    seen[p][q] := true;
  end;

end;

invariant "mutual exclusion"
  forall p: PROC; q: PROC do
    p != q & place[p] = critical -> place[q] != critical
  end;

predicate "two are inside"
  exists p: PROC; q: PROC do before(p, q) & place[p] = critical & place[q] = critical end;
predicate "somebody has passed with his flag down"
  exists p: PROC do (place[p] = checking | place[p] = waiting | place[p] = critical) & !flag[p] end;
predicate "a later one has passed an earlier one that has his flag up and has seen him"
  exists p: PROC; q: PROC do
    before(p, q) & flag[p] & (place[p] = waiting | place[p] = critical) & seen[p][q]
    & (place[q] = waiting | place[q] = critical | place[q] = checking & seen[q][p])
  end;
predicate "an earlier one is inside and has not seen a later one"
  exists p: PROC; q: PROC do before(p, q) & place[p] = critical & !seen[p][q] end;
predicate "a later one has passed an earlier one that he has not seen"
  exists p: PROC; q: PROC do before(p, q) & (place[q] = waiting | place[q] = critical) & !seen[q][p] end;
predicate "somebody has seen a later one too early"
  exists p: PROC; q: PROC do before(p, q) & place[p] = checking & seen[p][q] end;
