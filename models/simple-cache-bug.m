-- expect: unsafe
--
-- The caches of simple-cache.m, where one may read while another writes.

const
  CACHES: 3;

type
  CACHE: scalarset(CACHES);
  COPY: enum { none, shared, exclusive };

var
  copy: array [CACHE] of COPY;
  dirty: boolean;

startstate "init"
  for c: CACHE do copy[c] := none; end;
  dirty := false;
end;

ruleset c: CACHE do

  rule "read"
    copy[c] = none    -- the bug: `& !dirty` is missing
  ==>
    copy[c] := shared;
  end;

  rule "write"
    copy[c] != exclusive & !dirty
  ==>
    for d: CACHE do copy[d] := d = c ? exclusive : none; end;
    dirty := true;
  end;

  rule "write back"
    copy[c] = exclusive
  ==>
    copy[c] := shared;
    dirty := false;
  end;

  rule "forget"
    copy[c] = shared
  ==>
    copy[c] := none;
  end;

end;

invariant "a writer is alone"
  forall c: CACHE; d: CACHE do
    c != d & copy[c] = exclusive -> copy[d] = none
  end;

predicate "a writer is not alone"
  exists c: CACHE; d: CACHE do c != d & copy[c] = exclusive & copy[d] != none end;
predicate "somebody writes" exists c: CACHE do copy[c] = exclusive end;
predicate "dirty" dirty;
