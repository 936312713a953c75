-- expect: unsafe   (explore: --integers -2..3 --deadlock off)
--
-- The running example of running-example.m, where a step takes two away.

var
  F: array [integer] of integer;

startstate "identity"
  havoc F where forall u: integer do F[u] = u end;
end;

ruleset i: integer do
  rule "copy"
    true
  ==>
    F[i] := F[i + 1] - 2;        -- the bug: it takes two away
  end;
end;

invariant "not negative"
  forall u: integer do u >= 0 -> F[u] >= 0 end;
