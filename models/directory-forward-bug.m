-- expect: unsafe
--
-- The directory of directory-forward.m, which serves a write miss while the data for a reader are under way.

const
  NODES: 3;
  VALUES: 2;

type
  NODE: scalarset(NODES);
  VALUE: scalarset(VALUES);
  PERMISSION: enum { invalid, shared, modified };

var
  permission: array [NODE] of PERMISSION;
  copy: array [NODE] of VALUE;
  sharer: array [NODE] of boolean;        -- the directory
  memory: VALUE;
  latest: VALUE;                          -- what was written last, by whomever
  busy: boolean;                          -- a read is under way, for `reader`
  reader: NODE;
  forwarded: boolean;                     -- to `supplier`
  supplier: NODE;

procedure look_for_a_sharer();
begin
  for n: NODE do
    if sharer[n] then
      forwarded := true;
      supplier := n;
      return;
    end;
  end;
  forwarded := false;
end;

procedure finish_read(value: VALUE);
begin
  permission[reader] := shared;
  copy[reader] := value;
  sharer[reader] := true;
  busy := false;
  forwarded := false;
end;

ruleset v: VALUE do
  startstate "init"
    for n: NODE do
      permission[n] := invalid;
      copy[n] := v;
      sharer[n] := false;
    end;
    memory := v;
    latest := v;
    busy := false;
    forwarded := false;
    undefine reader;
    undefine supplier;
  end;
end;

rule "memory answers"
  busy & !forwarded
==>
  finish_read(memory);
end;

rule "the supplier answers"
  busy & forwarded
==>
  if permission[supplier] = modified then
    permission[supplier] := shared;
    memory := copy[supplier];
  end;
  finish_read(copy[supplier]);
end;

ruleset n: NODE do

  rule "read miss"
    permission[n] = invalid & !busy
  ==>
    busy := true;
    reader := n;
    look_for_a_sharer();
  end;

  rule "write miss"
    permission[n] = shared    -- the bug: `& !busy` is missing
  ==>
    for other: NODE do
      if other != n then
        permission[other] := invalid;
        sharer[other] := false;
      end;
    end;
    permission[n] := modified;
  end;

  rule "evict"
    permission[n] != invalid & !(busy & forwarded & supplier = n)
  ==>
    if permission[n] = modified then
      memory := copy[n];
    end;
    permission[n] := invalid;
    sharer[n] := false;
  end;

end;

ruleset n: NODE; v: VALUE do
  rule "write"
    permission[n] = modified
  ==>
    copy[n] := v;
    latest := v;
  end;
end;

invariant "a writer is alone"
  forall n: NODE; m: NODE do
    n != m & permission[n] = modified -> permission[m] = invalid
  end;

invariant "copies are up to date"
  forall n: NODE do permission[n] != invalid -> copy[n] = latest end;
