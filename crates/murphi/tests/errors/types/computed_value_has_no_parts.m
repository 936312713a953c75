type Point: record x, y: 0..3; end;
var queue: list of Point; p: Point; x: 0..3;
function f(): Point; begin return p; end;
startstate
  x := head(queue).x;
  x := f().y;
end;
