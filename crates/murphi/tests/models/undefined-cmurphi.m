-- The same in a file that means what CMurphi makes of it: undefined values may be copied, and compared.
type
  NODE: scalarset(2);
  OTHER: enum { other };
  ANY: union { OTHER, NODE };
  SIDE: enum { left, right };
  MESSAGE: record from: ANY; node: NODE; flag: boolean; end;
var
  net: multiset [2] of MESSAGE;
  keep: MESSAGE;
  p, q: ANY;
  node: NODE;
  side: SIDE;
  number: 0..2;
  wide: 0..9;
  sides: array [SIDE] of boolean;
  nodes: array [ANY] of NODE;
  any: array [NODE] of ANY;
  c: boolean;

procedure send(m: MESSAGE);
begin
  if multisetcount(i: net, true) < 2 then multisetadd(m, net); end;
end;

function same(a: ANY): ANY;
begin
  return a;
end;

startstate
  undefine net;
  c := false;
  sides[left] := false;
  sides[right] := true;
end;

ruleset n: NODE do
  rule var m: MESSAGE; begin m.from := other; send(m); end;
  rule var m: MESSAGE; begin m.node := n; m.from := m.node; send(m); end;
  rule var m: MESSAGE; begin m.from := m.node; send(m); end;
  rule send(keep); end;
  choose i: net do
    rule keep := net[i]; multisetremove(i, net); end;
    rule c := net[i].from = net[i].node; end;
    rule undefine net[i].from; end;
    rule c := isundefined(net[i].node); end;
  end;
  rule multisetremovepred(i: net, net[i].node = n); end;
  rule multisetremovepred(i: net, ismember(net[i].from, NODE)); end;
  rule c := multisetcount(i: net, net[i].from = keep.from) = 1; end;
  rule isundefined(keep.from) | ismember(keep.from, NODE) ==> keep.node := keep.from; end;
end;

alias x: p; y: q do
  ruleset n: NODE do
    rule x := n; end;
    rule x := y; end;
    rule y := x; end;
    rule y := other; end;
    rule undefine x; end;
    rule y := same(x); end;
    rule c := same(x) = same(y); end;
    rule !isundefined(x) ==> nodes[x] := n; end;
    rule c := forall i: ANY do nodes[i] = node end; end;
    rule node := n; end;
    rule node := nodes[other]; end;
    rule c := x = y; end;
    rule c := x = node; end;
    rule c := (c ? x : y) = node; end;
    rule c := ismember(x, NODE); end;
    rule c := ismember(c ? x : y, OTHER); end;
    rule ismember(y, NODE) | isundefined(y) ==> node := y; end;
  end;
end;

ruleset n: NODE; a: ANY; v: SIDE; w: boolean do
  rule side := v; end;
  rule undefine side; end;
  rule p := any[n]; end;
  rule any[n] := a; end;
  rule undefine any; end;
  rule for i: NODE do any[i] := i; end; end;
  rule for i: NODE do any[i] := p; end; end;
  rule for i: NODE do if isundefined(any[i]) then any[i] := other; end; end; end;
  rule for i: ANY do if ismember(i, NODE) then node := i; end; end; end;
  rule !isundefined(side) ==> switch side case left: c := sides[left]; case right: c := w; end; end;
  rule c := exists i: NODE do any[i] = p end; end;
  rule c := exists i: NODE do isundefined(any[i]) end; end;
  rule !isundefined(number) & number < 2 ==> number := number + 1; end;
  rule number := 0; end;
  rule number := wide; end;
  rule wide := 2; end;
  rule undefine wide; end;
  rule undefine node; p := node; end;
end;

invariant "nothing" true;
