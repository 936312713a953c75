-- unsafe; the names of bound variables were chosen along every path through what the property calls, and the proof was deaf to limits
const N: 5;
type
  P: 1..N;
  Q: scalarset(5);
  S: 0..3;
  E: enum { red, green, blue };
  R: record flag: boolean; who: P; count: S; end;
var
  bad: boolean;
  x: S;
  v2: E;
  v3: array [P] of boolean;
function f2(e: P): S;
var l1: S;
begin
  l1 := 3;
  x := (l1 = l1 ? 1 : 3);
  while x < 3 do
  v3[e] := -(l1) < 2;
  x := 3;
  end;
  bad := (v3[e] ? 1 != e : !v3[1]);
  if !(v3 = v3) then
  return 0;
  end;
  return 0;
end;
function f6(e: boolean): boolean;
var l3: boolean;
begin
  l3 := e;
  l3 := (bad & !e);
  for i4 := 3 to x do
  bad := 0 % (x + 1) = 0;
  assume (true & !e);
  v3 := v3;
  x := i4;
  end;
  return (false | e);
end;
ruleset s: P do
ruleset t: Q do
startstate
begin
  bad := false;
  x := 3;
  v2 := red;
  for i7: P do
  v3[i7] := false;
  end;
end;
end;
end;
ruleset r8: Q do
rule "r0"
  (exists g9: Q do exists g10: Q do g10 != g9 & exists g11: Q do g11 != g9 & g11 != g10 & true end end end)
  & !(bad)
  & (exists q12: S do (q12 + q12 = 0 ? v2 != v2 : f6(true)) end)
==>
begin
  for i14: P do
  assert !(f6(3 % 2 < x));
  assume x + x != 0;
  put f6(f6(x <= x));
  end;
  x := (x % 2 = 3 ? 0 : 1);
  x := x + 0;
  for i13 := 1 to 1 by -2 do
  bad := (true ? !bad : !bad);
  while x < 3 do
  v3 := v3;
  x := 3;
  end;
  bad := (bad ? bad : true);
  end;
  bad := !(true);
end;
end;
ruleset r15 := 0 to 0 by 2 do
rule "r1"
  (exists g16: P do exists g17: P do g17 != g16 & exists g18: P do g18 != g16 & g18 != g17 & exists g19: P do g19 != g16 & g19 != g17 & g19 != g18 & true end end end end)
  & 2 + x >= x
  & f6(f6(true))
==>
begin
  bad := f6(f6(v3[0]));
  v3[2] := (f6(f6(bad)) -> true);
end;
end;
invariant "property"
  (forall q20: S do (1 != 2 -> q20 < q20) end);
