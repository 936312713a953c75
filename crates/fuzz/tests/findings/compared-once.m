-- safe; in proofs a function in a subscript was called twice where the element was compared
type
  NODE: scalarset(2);
  ANY: union { NODE, enum { other } };
var
  a: array [0..3] of NODE;
  count: 0..3;
  p: NODE;
function next(): 0..3;
begin
  count := count + 1;
  return 0;
end;
ruleset n: NODE do
  startstate
    for i: 0..3 do a[i] := n; end;
    p := n;
    count := 0;
  end;
end;
rule "compare" count = 0 ==> if a[next()] = p then end; end;
invariant "once" count <= 1;
