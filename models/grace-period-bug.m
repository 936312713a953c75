-- expect: unsafe
--
-- The grace periods of grace-period.m, where the writer looks at one reader only.

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
    return inside[r] & uses[r] = v;    -- the bug: the search ends with the first reader, whatever it does
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
