-- expect: unsafe
--
-- The consensus of consensus.m, in which a node may vote again.

const
  NODES: 3;
  QUORUMS: 3;

type
  NODE: scalarset(NODES);
  QUORUM: scalarset(QUORUMS);
  VALUE: scalarset(2);

uninterpreted
  member(q: QUORUM; n: NODE): boolean;

axiom "any two quorums meet"
  forall q: QUORUM do forall r: QUORUM do exists n: NODE do member(q, n) & member(r, n) end end end;

var
  voted: array [NODE] of boolean;
  vote: array [NODE] of VALUE;
  decided: array [VALUE] of boolean;

startstate "start"
  for n: NODE do
    voted[n] := false;
    undefine vote[n];
  end;
  for v: VALUE do
    decided[v] := false;
  end;
end;

ruleset n: NODE; v: VALUE do
  rule "vote"
    true
  ==>
    voted[n] := true;
    vote[n] := v;
  end;
end;

ruleset q: QUORUM; v: VALUE do
  rule "decide"
    forall n: NODE do member(q, n) -> voted[n] & vote[n] = v end
  ==>
    decided[v] := true;
  end;
end;

invariant "agreement"
  forall v: VALUE do forall w: VALUE do decided[v] & decided[w] -> v = w end end;
