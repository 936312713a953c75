type
  r: record
    a: boolean;
var
  v: r;
startstate begin v.a := true; end;
