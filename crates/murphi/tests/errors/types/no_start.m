var x: 0..3;
rule "step" x < 3 ==> begin x := x + 1; end;
