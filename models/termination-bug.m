-- expect: unsafe   (explore: --integers 0..4 --deadlock off)
--
-- The termination detection of termination.m, where a node answers before it is passive.

const
  NODES: 3;

type
  NODE: scalarset(NODES);

var
  root: NODE;
  active: array [NODE] of boolean;
  engaged: array [NODE] of boolean;       -- it owes an answer to its parent
  parent: array [NODE] of NODE;
  waits_for: array [NODE] of integer;     -- answers
  work: array [NODE] of array [NODE] of boolean;
  over: boolean;

ruleset r: NODE do
  startstate "init"
    root := r;
    for n: NODE do
      active[n] := n = r;
      engaged[n] := n = r;
      parent[n] := r;
      waits_for[n] := 0;
      for m: NODE do work[n][m] := false; end;
    end;
    over := false;
  end;
end;

ruleset n: NODE do

  rule "become passive"
    active[n]
  ==>
    active[n] := false;
  end;

  rule "answer the parent"
    n != root & engaged[n] & waits_for[n] = 0    -- the bug: `& !active[n]` is missing
  ==>
    engaged[n] := false;
    waits_for[parent[n]] := waits_for[parent[n]] - 1;
  end;

end;

ruleset n: NODE; m: NODE do

  rule "send work"
    active[n] & n != m & !work[n][m]
  ==>
    work[n][m] := true;
    waits_for[n] := waits_for[n] + 1;
  end;

  rule "be engaged"
    work[n][m] & !engaged[m]
  ==>
    work[n][m] := false;
    engaged[m] := true;
    parent[m] := n;
    active[m] := true;
  end;

  rule "answer at once"
    work[n][m] & engaged[m]
  ==>
    work[n][m] := false;
    active[m] := true;
    waits_for[n] := waits_for[n] - 1;
  end;

end;

rule "the root says that it is over"
  !over & !active[root] & waits_for[root] = 0
==>
  over := true;
end;

invariant "over is over"
  over -> forall n: NODE do !active[n] & forall m: NODE do !work[n][m] end end;
