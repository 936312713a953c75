var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
invariant "comparisons" 0 <= x < 7;
invariant "implications" b -> b -> b;
invariant "conditionals" b ? b : b ? b : b;
invariant x = y = 1;
