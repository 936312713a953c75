var n: 0..3;
    x: array [0..n] of boolean;
startstate n := 0; end;
ruleset i := 0 to n do
  rule "r" true ==> begin n := 0; end;
end;
procedure p(limit: 0..3);
var local: 0..limit;
begin
  local := 0;
end;
