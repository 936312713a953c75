-- cmurphi: undefined read, 1 states, 0 rules fired
-- An undefined number of another type than the parameter is converted, and so read.

type P: scalarset(2); H: enum {Home}; U: union {H, P}; C: 0..3; D: 0..5;
var x: D; y: C; u: U;
procedure f(d: D);
begin
  x := d;
end;
startstate begin x := 0; u := Home; undefine y; end;
rule "variable" x = 0 ==> begin f(y); end;
