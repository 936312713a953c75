-- Nothing here is wrong, but all of it is odd.
type A: scalarset(2); B: scalarset(2);
var x: 0..3; y: 5..7; a: A; b: B;
startstate x := 0; y := 5; end;
rule "never" false ==> begin x := 1; end;
rule "always out of range" x = 9 | y != 3 | x = y ==> begin x := 8; end;
rule "mixed" a = b ==> begin a := b; end;
ruleset i: 0..2 do
  rule "changes its parameter" true ==> begin i := i + 1; x := i; end;
end;
rule "changes its loop" true ==> begin for k: 0..2 do k := 0; x := k; end; end;
liveness "forever" x = 0;
