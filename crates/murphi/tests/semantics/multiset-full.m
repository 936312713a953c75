-- cmurphi: multiset full, 3 states, 2 rules fired
-- Adding to a full multiset is an error.

const N: 2;
type M: record a: 0..1; end;
var net: multiset [N] of M; x: 0..3;
startstate begin clear net; x := 0; end;
rule true ==> var m: M; begin m.a := 0; multisetadd(m, net); end;
