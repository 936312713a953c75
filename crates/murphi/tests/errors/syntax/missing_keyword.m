var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
procedure p();
begin
  (x = 1) then y := 2; else y := 3; end;
  y = 2 then x := 1; end;
  i := 0 to 3 do x := i; end;
  i: 0..3 do x := i; end;
  x < 3 do x := x + 1; end;
  x case 1: y := 2; else y := 3; end;
end;

"unnamed" x = 1 ==> begin
  y := 1;
end;

type t: 0..3;
i: t do
  rule "in it" x = i ==> begin y := i; end;
end;
