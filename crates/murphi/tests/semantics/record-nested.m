-- rumur: ok, 66 states, 144 rules fired
-- Arrays in records in arrays.

type I: 1..2;
var a: array [I] of record b: array [boolean] of record c: 0..2; d: boolean; end; e: 0..1; end;
startstate begin clear a; end;
ruleset i: I; t: boolean do
  rule a[i].b[t].c < 2 & !a[i].b[!t].d ==> begin
    a[i].b[t].c := a[i].b[t].c + 1;
    if a[i].b[t].c = 2 then a[i].b[t].d := true; end;
  end;
end;
rule a[1].b[true].d & a[1].e = 0 ==> begin a[2] := a[1]; a[1].e := 1; end;
