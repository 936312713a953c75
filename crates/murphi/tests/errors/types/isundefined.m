type Point: record x, y: 0..3; end;
var x: 0..3; p: Point;
startstate x := 0; end;
invariant "record" isundefined(p);
invariant "value" !isundefined(x + 1);
invariant "constant" !isundefined(3);
