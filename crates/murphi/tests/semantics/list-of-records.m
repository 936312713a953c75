-- by hand: ok, 4 states, 4 rules fired
-- A list of records keeps undefined parts.

type M: record kind: enum { A, B }; value: 0..1; end;
var q: list of M; m: M;
startstate begin clear q; undefine m; end;
rule length(q) < 1 ==> var n: M; begin n.kind := B; q := append(q, n); end;
rule q != [] ==> begin m := head(q); q := tail(q); end;
invariant "kind" !isundefined(m.kind) -> m.kind = B & isundefined(m.value);
