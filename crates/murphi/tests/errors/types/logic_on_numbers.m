var x, y: 0..3; b: boolean;
startstate
  x := 0; y := 0;
  b := x && b;
  b := !x;
  b := b -> y;
  b := x | b;
end;
