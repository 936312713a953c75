-- safe; a run that instantiation was too short to refute was called real
type NODE: scalarset(2);
uninterpreted
  next(n: NODE): NODE;
  zero(n: NODE): boolean;
  one(n: NODE): boolean;
  two(n: NODE): boolean;
  three(n: NODE): boolean;
axiom forall n: NODE do zero(n) -> one(next(n)) end;
axiom forall n: NODE do one(n) -> two(next(n)) end;
axiom forall n: NODE do two(n) -> three(next(n)) end;
axiom forall n: NODE do !three(n) end;
var here: NODE;
startstate havoc here; end;
rule "stay" here := here; end;
invariant "not zero" !zero(here);
