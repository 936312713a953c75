-- expect: safe
--
-- A token goes round a ring, of which only the next node of each is known; whoever has it may go inside.

type
  NODE: scalarset(3);

uninterpreted
  next(n: NODE): NODE;

axiom "nobody has two predecessors"
  forall a: NODE do forall b: NODE do next(a) = next(b) -> a = b end end;

var
  token: array [NODE] of boolean;
  inside: array [NODE] of boolean;
  sent: array [NODE] of boolean;     -- the token is on its way from here to the next node

startstate "start"
  for n: NODE do
    inside[n] := false;
    sent[n] := false;
  end;
  havoc token where exists n: NODE do token[n] & forall m: NODE do token[m] -> m = n end end;
end;

ruleset n: NODE do
  rule "enter"
    token[n]
  ==>
    inside[n] := true;
  end;

  rule "leave"
    inside[n]
  ==>
    inside[n] := false;
    token[n] := false;
    sent[n] := true;
  end;

  rule "arrive"
    sent[n]
  ==>
    sent[n] := false;
    token[next(n)] := true;
  end;
end;

invariant "mutual exclusion"
  forall n: NODE do forall m: NODE do inside[n] & inside[m] -> n = m end end;
