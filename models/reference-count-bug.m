-- expect: unsafe
--
-- The reference count of reference-count.m, where a reference that is handed on is not counted.

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
    has_reference[u] := true;    -- the bug: `references := references + 1` is missing
  end;
end;

invariant "no use after free"
  forall t: THREAD do has_reference[t] -> allocated end;

invariant "the count is right"
  references = users();
