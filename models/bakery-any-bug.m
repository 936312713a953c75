-- expect: unsafe   (explore: --size PROC=3 --integers 0..4)
--
-- The bakery algorithm of bakery-any.m, where tickets need not be larger than all others.

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
      ticket[p] > 0 & forall q: PROC do ticket[q] != ticket[p] | q = p end;    -- the bug: this should be `<`
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
