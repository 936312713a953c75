var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
procedure p(a: boolean, c: boolean);
begin
end;
procedure q;
begin
end;
function f(a, b): boolean;
begin
  return true;
end;
function g(a boolean): boolean begin return a; end;
