-- unsafe; a rule that chooses stops with an error, and a property is violated before another one.
type
  SMALL: 0..2;

var
  x: SMALL;
  b: boolean;

startstate
begin
  x := 0;
  b := false;
end;

rule "up" x < 2 ==>
begin
  x := x + 1;
end;

rule "stop" true ==>
begin
  assert x < 2;
  havoc b;
end;

invariant "first" x < 2;
invariant "second" b -> x >= 0;
