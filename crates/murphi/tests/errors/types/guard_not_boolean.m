var x: 0..3;
startstate x := 0; end;
rule "guard" x ==> begin x := 0; end;
rule "assignment for equality" x + 1 ==> begin x := 1; end;
