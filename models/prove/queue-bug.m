-- expect: unsafe   (explore: --integers 0..4)
--
-- The queue of queue.m, from which the receiver takes one too many.

var
  queue: array [integer] of integer;
  head: integer;
  tail: integer;
  next: integer;      -- the number to be sent next
  last: integer;      -- the number that was received last

startstate "start"
  head := 0;
  tail := 0;
  next := 1;
  last := 0;
  havoc queue;
end;

rule "put"
  queue[tail] := next;
  next := next + 1;
  tail := tail + 1;
end;

rule "get"
  head <= tail
==>
  last := queue[head];
  head := head + 1;
end;

invariant "what is received was sent"
  last < next;
