-- safe; the atoms of a formula were collected along every path to them
type
  NODE: scalarset(2);
  COLOUR: enum { red, green, blue };
  SMALL: -2..2;
  WIDE: -6..6;
  PAIR: record flag: boolean; who: NODE; count: SMALL; colour: COLOUR; end;
  NUMBERS: array [NODE] of SMALL;
  PAIRS: array [NODE] of PAIR;
  FLAGS: array [SMALL] of boolean;
  LIST: list of SMALL;
  QUEUE: list of PAIR;
var
  v0: boolean;
  v1: SMALL;
  v2: WIDE;
  v3: NODE;
  v4: PAIR;
  v5: FLAGS;
  v6: NUMBERS;
  v7: LIST;
  v8: boolean;
  v9: COLOUR;
function f(x: SMALL; var y: WIDE): SMALL;
var z: SMALL;
begin
  z := x;
  y := ((-(x) - ((-2 - -1) % 7)) % 7);
  v1 := ((((-(v2) - v4.count) % 7) / (((1 / (v4.count = 0 ? -2 : v4.count)) % 7) = 0 ? -2 : ((1 / (v4.count = 0 ? -2 : v4.count)) % 7))) % 3);
  v4.colour := (!v0 ? blue : red);
  if v8 then return ((-(v1) - y) % 3); end;
  y := -y;
  return ((z / (y = 0 ? -2 : y)) % 3);
end;
procedure change(var o: PAIR; w: NODE);
begin
  o := o;
  if (((empty(v7) ? v2 : -2)) % 7) != v4.count then return; end;
  o.who := w;
  o.flag := !o.flag;
end;
procedure swap(var s: SMALL; var t: SMALL);
var h: SMALL;
begin
  h := s;
  s := t;
  t := h;
  s := (s + t) % 3;
end;
ruleset s: NODE do
startstate
  v0 := true;
  v1 := -1;
  v2 := -3;
  v3 := s;
  v4.flag := false;
  v4.who := s;
  v4.count := -2;
  v4.colour := blue;
  for i1: SMALL do
  v5[i1] := false;
  end;
  for i2: NODE do
  v6[i2] := -2;
  end;
  v7 := [];
  v8 := false;
  v9 := green;
end;
end;
rule "r0"
  true
==>
begin
  assert v6 = v6;
  v9 := red;
end;
ruleset p: NODE do
rule "r1"
  true
  & !(((v2 % (v2 = 0 ? 3 : v2)) % 7) < v4.count)
==>
begin
  if (exists x3: SMALL do !v5[v6[p]] end) then
  if ((v2 + v1) % 7) = v4.count then
  v6[p] := ((-(((-2 + v2) % 7)) - v2) % 3);
  elsif (exists x4: boolean do empty(v7) end) then
  v1 := ((length(v7)) % 3);
  else
  v1 := ((((1 % (v2 = 0 ? 3 : v2)) % 7) - (((true ? 2 : v6[v3])) % 7)) % 3);
  end;
  end;
  switch blue
  case red:
  for n5 := 0 to 1 do
  v4 := v4;
  end;
  case green, blue:
  v5 := v5;
  end;
end;
end;
ruleset j: SMALL do
alias a7: v4 do
rule "r2"
  true
==>
begin
  while v1 > 0 do
    v1 := v1 - 1;
  v3 := v3;
  a7.who := v3;
  end;
  v6[v3] := ((((v2 + j) % 7) % (((-2 / (v2 = 0 ? -2 : v2)) % 7) = 0 ? 3 : ((-2 / (v2 = 0 ? -2 : v2)) % 7))) % 3);
  v2 := ((v6[v3] - ((-(-1) - v1) % 7)) % 7);
end;
end;
end;
rule "r3"
  true
==>
begin
  v5[0] := false;
  v4.count := f(0, v2);
end;
invariant "property"
  ((v1 + v1) % 7) >= v2;
