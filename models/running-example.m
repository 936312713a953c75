-- expect: safe   (explore: --integers 0..3 --deadlock off) (check: --ignore-predicates)
--
-- The running example of indexed predicates: a function that is changed at one place at a time.
--
-- At first F is the identity. A step makes F at some place what it was at the next. The predicates speak of any place `x`; the
-- invariant that comes of them is quantified. From S. Lahiri, R. Bryant: Constructing quantified invariants via predicate
-- abstraction (VMCAI 2004), where the same predicates are given.
--
-- What holds: F is not negative where its argument is not.

var
  F: array [integer] of integer;

index
  x: integer;

predicate "p" F[x] >= 0;
predicate "q" x >= 0;

startstate "identity"
  havoc F where forall u: integer do F[u] = u end;
end;

ruleset i: integer do
  rule "copy"
    true
  ==>
    F[i] := F[i + 1];
  end;
end;

invariant "not negative"
  forall u: integer do u >= 0 -> F[u] >= 0 end;
