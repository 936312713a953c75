-- rumur: ok, 3 states, 2 rules fired
-- Without a case that fits, `else`, or nothing.

type E: enum { A, B, C };
var e: E; x: 0..3;
startstate begin e := A; x := 0; end;
rule x < 3 ==> begin
  switch e case B: e := C; case C: e := A; else e := B; end;
  switch x case 1: x := 3; end;
  x := x = 3 ? 3 : x + 1;
end;
