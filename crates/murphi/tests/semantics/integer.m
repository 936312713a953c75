-- by hand: incomplete, 4 states, 3 rules fired
-- Integers have no bounds; arrays over them have a window.

var n: integer; seen: array [integer] of boolean;
startstate begin n := 0; end;
rule n < 3 ==> begin seen[n] := true; n := n + 1; end;
invariant "small" n <= 3;
