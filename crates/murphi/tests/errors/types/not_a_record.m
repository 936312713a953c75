type Point: record x, y: 0..3; end;
var points: array [0..1] of Point; n: 0..3;
startstate
  points.x := 0;
  n.x := 0;
  points[0].x.y := 1;
  n[0] := 1;
end;
