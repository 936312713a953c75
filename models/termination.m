-- expect: safe   (explore: --integers 0..4 --deadlock off) (check: --fixed NODE)
--
-- Termination detection: one root starts a computation that spreads to any number of nodes and wants to know its end.
--
-- Who is activated remembers by whom, and answers when it is passive and all whom it has activated have answered. Each
-- node counts the answers that it waits for. When the root waits for none and is passive, all is over. Described in E.
-- W. Dijkstra, C. S. Scholten: Termination detection for diffusing computations (IPL 11:1, 1980).
--
-- What holds: when the root says that it is over, no node is active and no message is under way.

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
    n != root & engaged[n] & !active[n] & waits_for[n] = 0
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
