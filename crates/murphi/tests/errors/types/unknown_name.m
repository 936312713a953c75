-- A slip of the finger gets a suggestion, and is reported once.
var counter: 0..3;
startstate counter := 0; end;
rule "step" couter < 3 ==> begin counter := couter + 1; end;
invariant "bounded" elephant;
