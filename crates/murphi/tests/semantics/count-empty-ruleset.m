-- rumur: ok, 1 states, 0 rules fired
-- A ruleset may hold nothing.

var x: 0..3;
startstate begin x := 0; end;
ruleset i: 0..0 do
end;
