-- rumur: ok, 2 states, 1 rules fired
-- Locals of a procedure are undefined at every call.

var x: 0..3;
procedure p(n: 0..3);
var z: 0..3;
begin
  if n = 0 then z := 1; end;
  x := isundefined(z) ? 2 : z;
end;
startstate begin x := 0; end;
rule x = 0 ==> begin for i: 0..1 do p(i); end; end;
invariant "second call" x != 1;
