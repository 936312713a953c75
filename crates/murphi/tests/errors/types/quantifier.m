type Point: record x, y: 0..3; end;
var x: 0..3; p: Point;
startstate x := 0; end;
invariant "over records" forall q: Point do q.x = 0 end;
invariant "body" exists i: 0..3 do i end;
invariant "bounds" forall i := true to 3 do i > 0 end;
invariant "step" forall i := 1 to 3 by 0 do i > 0 end;
