-- rumur: ok, 689 states, 688 rules fired
-- All operators on all pairs of small numbers, with every combination of signs.

var
  x, y: -4..3;
  r: -200..200;

ruleset i: -4..3; j: -4..3 do
  startstate begin x := i; y := j; r := 200; end;
end;

rule r = 200 & y != 0 ==> begin r := x / y; end;
rule r = 200 & y != 0 ==> begin r := x % y; end;
rule r = 200 ==> begin r := x * y; end;
rule r = 200 ==> begin r := x - y; end;
rule r = 200 ==> begin r := -x + 10 * y; end;
rule r = 200 ==> begin r := (x & y) + 60; end;
rule r = 200 ==> begin r := (x | y) - 60; end;
rule r = 200 ==> begin r := (x ^ y) + 30; end;
rule r = 200 ==> begin r := (x << y) + 40; end;
rule r = 200 ==> begin r := (x >> y) - 40; end;
rule r = 200 ==> begin r := ~x * 20; end;
