-- expect: safe   (check: --ignore-predicates)
--
-- A simple cache coherence protocol: any number of caches, one line of memory, and a bit that says whether somebody
-- writes it.
--
-- Many caches may share the line to read it while nobody writes. Who wants to write invalidates all other copies and
-- sets the bit; it clears the bit when it writes the line back. Each of these is one step, as on a bus. Table 4.1 of S.
-- Das: Predicate abstraction (thesis, Stanford 2003) has a `simple cache coherence' without a description; this is the
-- write-invalidate scheme with a directory of one bit, after J. Archibald, J.-L. Baer: Cache coherence protocols:
-- evaluation using a multiprocessor simulation model (ACM TOCS 4:4, 1986).
--
-- What holds: while a cache has an exclusive copy, no other cache has any copy.

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
    copy[c] = none & !dirty
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
