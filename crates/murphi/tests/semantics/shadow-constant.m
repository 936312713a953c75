-- rumur: ok, 3 states, 2 rules fired
-- A parameter hides a constant.

const x: 3;
var y: 0..x;
startstate begin y := 0; end;
ruleset x: 0..1 do
 rule y = x ==> begin y := y + 1; end;
end;
