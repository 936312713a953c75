var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
invariant "a" forall i: 0..3 do x = i;
invariant "b" (exists i: 0..3 do x = i) & b;
invariant "c" foral i: 0..3 do x = i end;
invariant "d" forall i: 0..3 x = i end;
