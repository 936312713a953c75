var x: 0..3;
procedure p(limit: 0..3; var result: 0..3);
begin
  limit := limit - 1;
  result := limit;
  clear limit;
  undefine limit;
  alias l: limit do l := 0; end;
end;
startstate p(1, x); end;
