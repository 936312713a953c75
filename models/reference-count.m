-- expect: safe
--
-- A reference count: a buffer is freed when the last of those who use it has dropped its reference.
--
-- Threads get a reference by opening the buffer, or from a thread that has one. The count is an atomic counter: up by
-- one for each new reference, down by one for each that is dropped; whoever takes it to zero frees the buffer. The idea
-- is that of G. E. Collins: A method for overlapping and erasure of lists (CACM 3:12, 1960).
--
-- What holds: nobody has a reference to a buffer that is free, and the count is the number of references.

const
  THREADS: 5;

type
  THREAD: scalarset(THREADS);
  COUNT: 0..THREADS;

var
  has_reference: array [THREAD] of boolean;
  references: COUNT;
  allocated: boolean;

function users(): COUNT;
  var n: COUNT;
begin
  n := 0;
  for t: THREAD do
    if has_reference[t] then
      n := n + 1;
    end;
  end;
  return n;
end;

startstate "init"
  for t: THREAD do has_reference[t] := false; end;
  references := 0;
  allocated := false;
end;

ruleset t: THREAD do

  rule "open"
    !has_reference[t]
  ==>
    allocated := true;
    references := references + 1;
    has_reference[t] := true;
  end;

  rule "drop"
    has_reference[t]
  ==>
    has_reference[t] := false;
    references := references - 1;
    if references = 0 then
      allocated := false;
    end;
  end;

end;

ruleset t: THREAD; u: THREAD do
  rule "hand on"
    has_reference[t] & !has_reference[u]
  ==>
    references := references + 1;
    has_reference[u] := true;
  end;
end;

invariant "no use after free"
  forall t: THREAD do has_reference[t] -> allocated end;

invariant "the count is right"
  references = users();
