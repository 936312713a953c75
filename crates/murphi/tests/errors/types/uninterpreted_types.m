type Point: record x, y: 0..3; end; Node: scalarset(2);
uninterpreted place(n: Node): Point;
              at(p: Point): Node;
var n: Node;
startstate undefine n; end;
