-- expect: safe
--
-- Readers and writers: any number of threads share a file, and the monitor counts who is inside.
--
-- Before a writer is let in, the monitor goes through all threads and counts those that read and those that write; both
-- counts must be zero. A reader waits only for writers. The problem is that of P. J. Courtois, F. Heymans, D. L.
-- Parnas: Concurrent control with "readers" and "writers" (CACM 14:10, 1971); the counts are not kept up to date by
-- those who come and go, as there, but taken when they are needed.
--
-- What holds: a writer is alone.

const
  THREADS: 4;

type
  THREAD: scalarset(THREADS);
  PLACE: enum { outside, wants_to_read, wants_to_write, reading, writing };
  COUNT: 0..THREADS;

var
  place: array [THREAD] of PLACE;

function readers(): COUNT;
  var n: COUNT;
begin
  n := 0;
  for t: THREAD do
    if place[t] = reading then
      n := n + 1;
    end;
  end;
  return n;
end;

function writers(): COUNT;
  var n: COUNT;
begin
  n := 0;
  for t: THREAD do
    if place[t] = writing then
      n := n + 1;
    end;
  end;
  return n;
end;

startstate "init"
  for t: THREAD do place[t] := outside; end;
end;

ruleset t: THREAD do

  rule "ask to read"
    place[t] = outside
  ==>
    place[t] := wants_to_read;
  end;

  rule "ask to write"
    place[t] = outside
  ==>
    place[t] := wants_to_write;
  end;

  rule "admit a reader"
    place[t] = wants_to_read & writers() = 0
  ==>
    place[t] := reading;
  end;

  rule "admit a writer"
    place[t] = wants_to_write & readers() = 0 & writers() = 0
  ==>
    place[t] := writing;
  end;

  rule "leave"
    place[t] = reading | place[t] = writing
  ==>
    place[t] := outside;
  end;

end;

invariant "a writer is alone"
  forall t: THREAD; u: THREAD do
    t != u & place[t] = writing -> place[u] != reading & place[u] != writing
  end;
