-- safe; instantiation with nested pointers did not end
const COUNT: 3;
type
  NODE: scalarset(COUNT);
  COLOUR: enum { red, green, blue };
  SMALL: 0..2;
var
  v0: array [NODE] of NODE;
  v1: boolean;
ruleset s: NODE do
startstate
  for i0: NODE do
  v0[i0] := i0;
  end;
  v1 := s = s;
end;
end;
ruleset p: NODE do
rule "r0"
  true
  & !(v1)
  & (v0[p] != p | v1)
  & !v1
  & (v1 | !v1)
==>
  for x1: NODE do
  v0[x1] := p;
  end;
  if (forall x3: NODE do v0[x3] = v0[p] end) then
  if (v1 | v1) then
  v0[p] := p;
  else
  v0[v0[p]] := p;
  end;
  end;
  for x4: NODE do
  if (!v1 | !v1) then
  v0[x4] := x4;
  end;
  end;
end;
end;
ruleset p: NODE do
rule "r1"
  true
  & (!v1 -> v1)
  & (v1 | v1)
==>
  v1 := false;
  v0[v0[v0[v0[v0[v0[p]]]]]] := v0[p];
  v1 := true;
end;
end;
ruleset p: NODE do
ruleset q: NODE do
rule "r2"
  true
  & (v0[q] = v0[q] -> !v1)
  & (v0[q] = v0[p] & !v1)
==>
  v1 := false;
  for x5: NODE do
  if (v1 | v1) then
  v0[x5] := q;
  end;
  end;
  v1 := true;
end;
end;
end;
invariant "property"
  forall x17: NODE do ((!v1 | v0[v0[v0[x17]]] = v0[v0[x17]]) | v0[v0[x17]] = v0[x17]) end;
