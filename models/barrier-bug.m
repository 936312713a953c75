-- expect: unsafe
--
-- The barrier of barrier.m, which also counts threads that are slow to leave the last round.

const
  THREADS: 4;

type
  THREAD: scalarset(THREADS);
  COUNT: 0..THREADS;
  ROUND: 0..2;

var
  waiting: array [THREAD] of boolean;
  sense: array [THREAD] of boolean;
  barrier: boolean;
  round: array [THREAD] of ROUND;

function arrived(): COUNT;
  var n: COUNT;
begin
  n := 0;
  for t: THREAD do
    if waiting[t] then    -- the bug: `& sense[t] = barrier` is missing
      n := n + 1;
    end;
  end;
  return n;
end;

startstate "init"
  for t: THREAD do
    waiting[t] := false;
    sense[t] := false;
    round[t] := 0;
  end;
  barrier := false;
end;

ruleset t: THREAD do

  rule "arrive"
    !waiting[t]
  ==>
    waiting[t] := true;
    if arrived() = THREADS then
      barrier := !barrier;
    end;
  end;

  rule "go on"
    waiting[t] & sense[t] != barrier
  ==>
    waiting[t] := false;
    sense[t] := barrier;
    round[t] := (round[t] + 1) % 3;
  end;

end;

invariant "nobody runs ahead"
  forall t: THREAD; u: THREAD do
    !waiting[t] -> round[u] != (round[t] + 1) % 3
  end;
