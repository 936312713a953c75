-- expect: safe
--
-- Read-copy-update: readers take no lock, and memory is given back only after a grace period.
--
-- A writer replaces the current version of an object by a new one and keeps the old one until every reader that may
-- still use it has left its section. To find out, it looks for such a reader, again and again: the search ends with the
-- first one that it finds, and the version is freed when there is none. After P. E. McKenney, J. D. Slingwine:
-- Read-copy update: using execution history to solve concurrency problems (PDCS 1998).
--
-- What holds: no reader has a version that is freed; the current version is never freed.

const
  READERS: 3;
  VERSIONS: 3;

type
  READER: scalarset(READERS);
  VERSION: scalarset(VERSIONS);
  STATE: enum { unused, current, old };

var
  state: array [VERSION] of STATE;
  newest: VERSION;
  inside: array [READER] of boolean;
  uses: array [READER] of VERSION;        -- where it is inside

function in_use(v: VERSION): boolean;
begin
  for r: READER do
    if inside[r] & uses[r] = v then
      return true;
    end;
  end;
  return false;
end;

ruleset v: VERSION do
  startstate "init"
    for u: VERSION do state[u] := unused; end;
    state[v] := current;
    newest := v;
    for r: READER do
      inside[r] := false;
      undefine uses[r];
    end;
  end;
end;

ruleset r: READER do

  rule "begin to read"
    !inside[r]
  ==>
    inside[r] := true;
    uses[r] := newest;
  end;

  rule "end to read"
    inside[r]
  ==>
    inside[r] := false;
    undefine uses[r];
  end;

end;

ruleset v: VERSION do

  rule "publish a new version"
    state[v] = unused
  ==>
    state[newest] := old;
    state[v] := current;
    newest := v;
  end;

  rule "the grace period is over"
    state[v] = old & !in_use(v)
  ==>
    state[v] := unused;
  end;

end;

invariant "no use after free"
  forall r: READER do inside[r] -> state[uses[r]] != unused end;

invariant "the newest is current"
  state[newest] = current;
