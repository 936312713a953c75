-- rumur: ok, 2 states, 1 rules fired
-- Aliases of aliases, of records and of their parts.

type R: record a: 0..3; b: array [0..1] of 0..3; end;
var r: array [0..1] of R; i: 0..1;
startstate begin clear r; i := 0; end;
rule i = 0 ==> begin
  alias p: r[i] do
    alias q: p.b do
      i := 1; q[i] := 2; p.a := q[1]; r[i].a := 3;
    end;
  end;
end;
invariant "parts" i = 0 | (r[0].b[1] = 2 & r[0].a = 2 & r[1].a = 3);
