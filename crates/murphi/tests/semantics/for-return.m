-- rumur: ok, 2 states, 1 rules fired
-- `return` leaves loops.

var x: 0..7;
procedure p();
begin
  for i: 0..3 do for j: 0..3 do if i + j = 3 then return; end; x := x + 1; end; end;
end;
startstate begin x := 0; end;
rule x = 0 ==> begin p(); end;
invariant "three" x = 0 | x = 3;
