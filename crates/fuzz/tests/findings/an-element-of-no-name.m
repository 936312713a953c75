-- safe; a predicate mentioned an element that instantiation had made up, and the proof could not be certified
const COUNT: 3;
type
  NODE: 1..COUNT;
  COLOUR: enum { red, green, blue };
  SMALL: 0..2;
var
  v0: COLOUR;
  v1: array [NODE] of COLOUR;
  v2: array [NODE] of SMALL;
  v3: array [NODE] of COLOUR;
ruleset s: NODE do
startstate
  for i0: NODE do
  v1[i0] := green;
  end;
  for i0: NODE do
  v2[i0] := 0;
  v3[i0] := green;
  end;
end;
end;
ruleset p: NODE do
ruleset q: NODE do
rule "r0"
  true
  & !(v2[1] < 1)
  & (forall x1: NODE do x1 != p -> v2[q] = 0 end)
  & (v2[q] = v2[p] -> v1[p] = green)
  & v2[q] = v2[p]
==>
  for x2: NODE do
  if v0 = green then
  v1[x2] := green;
  end;
  end;
  v3[q] := blue;
end;
end;
end;
rule "r1"
  true
==>
end;
ruleset p: NODE do
rule "r2"
  true
==>
  v3[1] := red;
end;
end;
ruleset p: NODE do
ruleset q: NODE do
rule "r3"
  true
==>
  if (v2[p] = v2[1] & v2[1] <= v2[q]) then
  end;
end;
end;
end;
invariant "property"
  forall x14: NODE do forall x15: NODE do x14 != x15 -> (exists x16: NODE do (v1[x15] = v3[x16] | v2[x14] = 2) end) end end;
