-- rumur: ok, 2 states, 2 rules fired
-- A record may be passed by value with its undefined parts.

type R: record a: 0..1; end;
var e: R; x: 0..3;
function f(z: R): boolean; begin return isundefined(z.a); end;
startstate begin x := 0; end;
rule f(e) ==> begin x := 1; end;
