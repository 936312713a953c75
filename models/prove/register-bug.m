-- expect: unsafe
--
-- The register of register.m, where a node may lose what it has stored.

const
  NODES: 3;
  QUORUMS: 3;

type
  NODE: scalarset(NODES);
  READERS: scalarset(QUORUMS);
  WRITERS: scalarset(QUORUMS);
  VALUE: scalarset(2);

uninterpreted
  reads(q: READERS; n: NODE): boolean;
  writes(q: WRITERS; n: NODE): boolean;

axiom "a reader meets every writer"
  forall r: READERS do forall w: WRITERS do exists n: NODE do reads(r, n) & writes(w, n) end end end;

var
  stored: array [NODE] of array [VALUE] of boolean;
  written: array [VALUE] of boolean;
  missed: array [VALUE] of boolean;

startstate "start"
  for v: VALUE do
    written[v] := false;
    missed[v] := false;
    for n: NODE do
      stored[n][v] := false;
    end;
  end;
end;

ruleset n: NODE; v: VALUE do
  rule "store"
    true
  ==>
    stored[n][v] := true;
  end;

  rule "lose"
    stored[n][v]
  ==>
    stored[n][v] := false;
  end;
end;

ruleset w: WRITERS; v: VALUE do
  rule "written"
    forall n: NODE do writes(w, n) -> stored[n][v] end
  ==>
    written[v] := true;
  end;
end;

ruleset r: READERS; v: VALUE do
  rule "miss"
    written[v] & forall n: NODE do reads(r, n) -> !stored[n][v] end
  ==>
    missed[v] := true;
  end;
end;

invariant "nothing is missed"
  forall v: VALUE do !missed[v] end;
