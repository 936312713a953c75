-- A union of a range and names, converted to and from numbers.
type
  RANGE: 2..3;
  ANY: union { enum { none }, RANGE };
var
  u: ANY;
  y: 0..9;
  a: array [ANY] of 0..9;
startstate
  u := none;
  y := 3;
  for i: ANY do a[i] := 0; end;
end;
rule y = 2 | y = 3 ==> u := y; end;
rule y := 5 - y; end;
rule a[u] := y; end;
rule y = 2 | y = 3 ==> a[y] := y; end;
rule ismember(u, RANGE) ==> y := u; end;
rule switch u case 2: y := 2; case none: y := 3; else a[none] := 4; end; end;
ruleset i: ANY do
  rule "set" a[i] := y; end;
  invariant "small" a[i] < 5;
end;
invariant "two" y = 2 | y = 3;
invariant "all" u = none | u = 2 | u = 3;
