-- Only a warning: the model may never come here.
var x: 0..3;
startstate x := 0; end;
rule "never" x = 3 ==> begin x := x % 0; x := 1 / 0; end;
invariant "small" x < 4;
