-- expect: safe   (explore: --size PROC=2 --integers 0..3 --deadlock off)
--
-- The bakery algorithm for any number of processes, where reading and writing tickets takes time.
--
-- A process that wants to enter says so, looks at the tickets of the others one after the other, in any order, and takes one
-- more than the largest that it saw; while it does this, whoever reads its ticket may see any number. Then it looks at
-- each of the others again, in any order: it waits while the other chooses a ticket, and while the other has a smaller one, or
-- the same and a smaller name. Described in L. Lamport: A new solution of Dijkstra's concurrent programming problem (CACM
-- 17:8, 1974); an application of S. Lahiri, R. Bryant: Constructing quantified invariants via predicate abstraction
-- (VMCAI 2004). In bakery-any.m tickets are drawn and looked at in one step.
--
-- What holds: one process at most is in the critical section.

const
  PROCESSES: 3;

type
  PROC: 1..PROCESSES;
  PLACE: enum { idle, choosing, waiting, critical };

var
  place: array [PROC] of PLACE;
  ticket: array [PROC] of integer;
  largest: array [PROC] of integer;                    -- that a process has seen while it chooses
  seen: array [PROC] of array [PROC] of boolean;       -- whom it has looked at in this round

startstate "init"
  for p: PROC do
    place[p] := idle;
    ticket[p] := 0;
    largest[p] := 0;
    for q: PROC do
      seen[p][q] := false;
    end;
  end;
end;

ruleset p: PROC do

  rule "begin to choose"
    place[p] = idle
  ==>
    place[p] := choosing;
    largest[p] := 0;
    for q: PROC do
      seen[p][q] := false;
    end;
  end;

  rule "take a ticket"
    place[p] = choosing & forall q: PROC do p = q | seen[p][q] end
  ==>
    place[p] := waiting;
    ticket[p] := largest[p] + 1;
    for q: PROC do
      seen[p][q] := false;
    end;
  end;

  rule "enter"
    place[p] = waiting & forall q: PROC do p = q | seen[p][q] end
  ==>
    place[p] := critical;
  end;

  rule "leave"
    place[p] = critical
  ==>
    place[p] := idle;
    ticket[p] := 0;
  end;

  ruleset q: PROC do

    rule "read a ticket"
      p != q & place[p] = choosing & !seen[p][q] & place[q] != choosing
    ==>
      seen[p][q] := true;
      if ticket[q] > largest[p] then
        largest[p] := ticket[q];
      end;
    end;

    ruleset any: integer do
      rule "read a ticket that is being written"
        p != q & place[p] = choosing & !seen[p][q] & place[q] = choosing
      ==>
        seen[p][q] := true;
        if any > largest[p] then
          largest[p] := any;
        end;
      end;
    end;

    rule "look at somebody without a ticket"
      p != q & place[p] = waiting & !seen[p][q] & place[q] = idle
    ==>
      seen[p][q] := true;
    end;

    rule "look at somebody with a later ticket"
      p != q & place[p] = waiting & !seen[p][q] & (place[q] = waiting | place[q] = critical)
      & (ticket[p] < ticket[q] | ticket[p] = ticket[q] & p < q)
    ==>
      seen[p][q] := true;
    end;

  end;
end;

invariant "mutual exclusion"
  forall p: PROC; q: PROC do
    p != q -> !(place[p] = critical & place[q] = critical)
  end;

-- Predicates for any two processes. Without them (--ignore-predicates) others are found.

index
  i, j: PROC;

predicate "same" i = j;
predicate "i comes first" i < j;
predicate "i chooses" place[i] = choosing;
predicate "i waits" place[i] = waiting;
predicate "i is inside" place[i] = critical;
predicate "j chooses" place[j] = choosing;
predicate "j waits" place[j] = waiting;
predicate "j is inside" place[j] = critical;
predicate "i has seen j" seen[i][j];
predicate "j has seen i" seen[j][i];
predicate "the ticket of i is smaller" ticket[i] < ticket[j];
predicate "the ticket of j is smaller" ticket[j] < ticket[i];
predicate "i will take a later ticket" ticket[j] <= largest[i];
predicate "j will take a later ticket" ticket[i] <= largest[j];
