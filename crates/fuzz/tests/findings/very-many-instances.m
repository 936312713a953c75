-- safe; what very many instances say to exist was gathered in quadratic time, deaf to interrupts
const COUNT: 3;
type
  NODE: scalarset(COUNT);
  COLOUR: enum { red, green, blue };
  SMALL: 0..2;
var
  v0: array [NODE] of array [NODE] of boolean;
  v1: array [NODE] of SMALL;
  v2: array [NODE] of NODE;
  v3: array [NODE] of array [NODE] of boolean;
  v4: array [NODE] of array [NODE] of boolean;
ruleset s: NODE do
startstate
  for i0: NODE do
  for i1: NODE do
  v0[i0][i1] := false;
  end;
  end;
  for i0: NODE do
  v1[i0] := 1;
  end;
  for i0: NODE do
  v2[i0] := s;
  end;
  for i0: NODE do
  for i1: NODE do
  v3[i0][i1] := true;
  end;
  end;
  for i0: NODE do
  for i1: NODE do
  v4[i0][i1] := false;
  end;
  end;
end;
end;
ruleset p: NODE do
rule "r0"
  true
  & (v1[p] = v1[v2[p]] | v3[p][v2[p]])
==>
  v1[p] := 1;
end;
end;
ruleset p: NODE do
ruleset q: NODE do
rule "r1"
  true
  & !v3[p][q]
  & (forall x1: NODE do x1 != p -> v3[p][q] end)
  & v2[v2[p]] != p
==>
  v3[q][v2[v2[q]]] := true;
  for x2: NODE do
  if !(!v4[x2][v2[x2]]) then
  v1[x2] := (v1[x2] = 2 ? 0 : v1[x2] + 1);
  end;
  end;
  if v2[v2[p]] = v2[q] then
  if (v1[q] <= 2 & v2[p] = v2[p]) then
  v1[p] := (v1[p] = 2 ? 0 : v1[p] + 1);
  else
  v3[q][q] := (forall x3: NODE do !v0[v2[p]][v2[v2[p]]] end);
  end;
  end;
end;
end;
end;
ruleset p: NODE do
rule "r2"
  true
==>
  v4[v2[v2[p]]][v2[p]] := false;
  v3[v2[p]][p] := false;
  if (forall x4: NODE do v1[x4] = 2 end) then
  for x5: NODE do
  v1[x5] := 1;
  end;
  else
  v3[p][v2[p]] := true;
  end;
end;
end;
ruleset p: NODE do
rule "r3"
  true
==>
  v2[v2[v2[v2[v2[p]]]]] := v2[p];
  v0[v2[p]][v2[v2[v2[v2[p]]]]] := !(!v4[p][v2[p]]);
  v2[v2[v2[v2[p]]]] := v2[v2[p]];
end;
end;
ruleset p: NODE do
rule "r4"
  true
  & (v1[p] = v1[p] | v4[v2[v2[v2[p]]]][v2[v2[p]]])
  & (!v0[p][p] -> !v3[p][v2[p]])
  & (!v3[p][v2[v2[p]]] -> v2[v2[p]] = v2[p])
  & v2[p] != p
==>
  v3[p][p] := false;
  v4[p][p] := false;
  v2[v2[p]] := p;
end;
end;
index i: NODE;
predicate "p0" (!v4[v2[v2[i]]][i] | v1[i] <= v1[v2[v2[i]]]);
predicate "p1" (v1[v2[i]] = 1 | !v4[i][v2[i]]);
predicate "p2" v2[i] != v2[v2[i]];
predicate "p3" (exists x6: NODE do v2[v2[v2[x6]]] = v2[v2[v2[x6]]] end);
invariant "property"
  forall x9: NODE do forall x10: NODE do x9 != x10 -> (!v3[v2[v2[x10]]][v2[v2[v2[x10]]]] | v2[x9] = v2[x9]) end end;
