type
  r: record
    a boolean;
    b: ;
    c = 0..3;
    d: boolean
    e: boolean;
    3: boolean;
  end;
var v: r;
startstate begin v.d := true; v. := 2; end;
