-- Undefined values of every kind on every way that a value can take.
type
  NODE: scalarset(2);
  ITEM: record node: NODE; flags: array [NODE] of boolean; number: 0..2; end;
  PAIR: record node: NODE; flag: boolean; end;
var
  r, s: array [NODE] of ITEM;
  x: ITEM;
  p, q: PAIR;
  wide: 0..9;
  row, copy: list of PAIR;
  c: boolean;

procedure by_value(a: PAIR);
begin
  c := isundefined(a.node) | a = q;
end;

procedure by_name(var a: PAIR);
begin
  if isundefined(a.node) then undefine a.flag; else a.flag := true; end;
end;

procedure one(var to_set: NODE; from: NODE);
begin
  if isundefined(from) then undefine to_set; else to_set := from; end;
end;

procedure narrow(n: 0..3);
begin
  c := isundefined(n);
end;

function half(): PAIR;
  var a: PAIR;
begin
  a.flag := true;
  return a;
end;

function pick(a: PAIR; b: PAIR; first: boolean): PAIR;
begin
  if first then return a; else return b; end;
end;

startstate
  c := false;
  row := [];
end;

ruleset n: NODE; m: NODE do
  rule r[n].node := n; end;
  rule r[n].flags[m] := c; end;
  rule undefine r[n]; end;
  rule clear r[n]; end;
  rule undefine r; end;
  rule s := r; end;
  rule s[n] := r[m]; end;
  rule for i: NODE do s[i] := r[i]; end; end;
  rule for i: NODE do s[i].node := i; undefine s[i].flags; end; end;
  rule c := isundefined(s[n].node); end;
  rule c := isundefined(s[n].flags[m]); end;
  rule c := forall i: NODE do isundefined(s[i].flags[m]) end; end;
  rule c := s[n] = r[m]; end;
  rule c := s = r; end;
  rule x := s[n]; x.number := 1; s[m] := x; end;
  rule isundefined(x.node) ==> x.node := n; undefine x.number; end;
end;

ruleset n: NODE do
  rule by_value(p); end;
  rule by_name(p); end;
  rule one(p.node, q.node); end;
  rule one(q.node, n); end;
  rule p := half(); end;
  rule q := pick(p, q, c); end;
  rule q := c ? p : q; end;
  rule c := half() = p; end;
  rule c := (c ? p : q) = p; end;
  rule undefine q; end;
end;

rule narrow(wide); end;
rule undefine wide; end;
rule copy := append(row, p); end;
rule undefine copy; end;
rule c := isundefined(copy); end;
rule !isundefined(copy) ==> alias first: head(copy) do c := isundefined(first.node); end; end;

invariant "nothing" true;
