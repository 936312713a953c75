var x: 0..3;
startstate x := 0; end;
rule "step" x < 3 ==> begin x := x + 1; end;
