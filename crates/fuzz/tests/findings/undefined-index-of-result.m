-- safe; exploration took an undefined result for an index out of bounds, not for a read of an undefined value
type
  FLAG: enum { up, down };
  NODE: scalarset(2);
  ANY: union { NODE, enum { other } };
var
  f: FLAG;
  a: array [FLAG] of boolean;
function get(): FLAG;
begin
  return f;
end;
startstate
  a[up] := true;
  a[down] := true;
end;
rule "use" a[get()] := true; end;
invariant "nothing" true;
