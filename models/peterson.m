-- expect: safe   (check: --ignore-predicates)
--
-- Peterson's algorithm: mutual exclusion of two processes with shared variables only.
--
-- A process that wants to enter raises its flag, gives way to the other, and waits until the other has no flag up or has
-- given way itself. Described in G. L. Peterson: Myths about the mutual exclusion problem (Information Processing
-- Letters 12:3, 1981).
--
-- What holds: the two are never both in the critical section; a flag is up exactly from raising it to leaving.

type
  PID: 0..1;
  PLACE: enum { idle, raise, yield, wait, critical };

var
  at: array [PID] of PLACE;
  flag: array [PID] of boolean;
  yields: PID;          -- who gave way last

function other(p: PID): PID;
begin
  return 1 - p;
end;

startstate "init"
  for p: PID do
    at[p] := idle;
    flag[p] := false;
  end;
  yields := 0;
end;

ruleset p: PID do

  rule "want"
    at[p] = idle
  ==>
    at[p] := raise;
  end;

  rule "raise flag"
    at[p] = raise
  ==>
    flag[p] := true;
    at[p] := yield;
  end;

  rule "give way"
    at[p] = yield
  ==>
    yields := p;
    at[p] := wait;
  end;

  rule "enter"
    at[p] = wait & (!flag[other(p)] | yields != p)
  ==>
    at[p] := critical;
  end;

  rule "leave"
    at[p] = critical
  ==>
    flag[p] := false;
    at[p] := idle;
  end;

  invariant "flag tells where"
    flag[p] = (at[p] = yield | at[p] = wait | at[p] = critical);

end;

invariant "mutual exclusion"
  !(at[0] = critical & at[1] = critical);

predicate "first is inside" at[0] = critical;
predicate "second is inside" at[1] = critical;
predicate "first has its flag up" flag[0];
predicate "second has its flag up" flag[1];
predicate "first waits" at[0] = wait;
predicate "second waits" at[1] = wait;
predicate "first is about to yield" at[0] = yield;
predicate "second is about to yield" at[1] = yield;
predicate "first gave way last" yields = 0;
