-- expect: unsafe   (explore: --size PROC=2 --integers 0..3 --deadlock off)
--
-- The bakery algorithm of bakery-non-atomic.m, where nobody waits for those who choose a ticket.

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
      p != q & place[p] = waiting & !seen[p][q] & (place[q] = idle | place[q] = choosing)     -- the bug: the other may take a smaller ticket yet
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
