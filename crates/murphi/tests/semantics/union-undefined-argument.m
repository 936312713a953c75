-- cmurphi: ok, 4 states, 4 rules fired
-- An undefined number may be passed by value where it is a variable of the parameter's type, or `undefined` itself.

type P: scalarset(2); H: enum {Home}; U: union {H, P}; C: 0..3; D: 0..5;
var x: C; y: C; z: D; u: U; k: 0..2;
procedure f(c: C; d: D);
begin
  x := c;
  if isundefined(d) then z := d; end;
end;
startstate begin x := 0; z := 1; u := Home; k := 0; undefine y; end;
rule "literal" k = 0 ==> begin f(undefined, undefined); k := 1; end;
rule "variable" k = 1 ==> begin f(y, undefined); k := 2; end;
rule "back" k = 2 ==> begin x := 0; z := 0; k := 0; end;
