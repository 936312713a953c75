-- expect: safe
--
-- A barrier with a sense: threads wait for each other at the end of each round, and the same barrier serves all rounds.
--
-- Who arrives counts the threads that wait in this round; the last one turns the sense of the barrier round, and so
-- lets all go on. A thread that is slow to go on still has the old sense, so that nobody counts it for the next round.
-- Described in J. M. Mellor-Crummey, M. L. Scott: Algorithms for scalable synchronization on shared-memory
-- multiprocessors (TOCS 9:1, 1991), section 3.1; the count is kept in a shared variable there.
--
-- What holds: nobody runs ahead: while a thread works in a round, no other thread is in the next round.
--
-- Rounds are counted modulo three, which tells the next round from the last one.

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
    if waiting[t] & sense[t] = barrier then
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
