-- expect: safe
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
