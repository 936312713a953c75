-- rumur: uncovered, 2 states, 2 rules fired
-- A `cover` property that no state satisfies.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule true ==> begin x := 1; end;
cover "never" x = 3;
