-- by hand: ok, 4 states, 4 rules fired
-- Uninterpreted symbols have any values that the axioms allow, and keep them.

type N: scalarset (2);
var at: N;
uninterpreted home: N; next(n: N): N;
axiom "no fixed point" forall n: N do next(n) != n end;
startstate begin at := home; end;
rule true ==> begin at := next(at); end;
invariant "there and back" next(next(at)) = at;
