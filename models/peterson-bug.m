-- expect: unsafe
--
-- Peterson's algorithm with its first two steps exchanged: a process gives way before it raises its flag, so that the
-- other can see neither. See peterson.m for the algorithm as it should be.

type
  PID: 0..1;
  PLACE: enum { idle, yield, raise, wait, critical };

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
    at[p] := yield;
  end;

  -- the bug: this should come after the flag is raised
  rule "give way"
    at[p] = yield
  ==>
    yields := p;
    at[p] := raise;
  end;

  rule "raise flag"
    at[p] = raise
  ==>
    flag[p] := true;
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
    flag[p] = (at[p] = wait | at[p] = critical);

end;

invariant "mutual exclusion"
  !(at[0] = critical & at[1] = critical);
