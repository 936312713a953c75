type Node: scalarset(3);
var queue: list of Node; numbers: list of integer; n: Node; x: 0..3; b: boolean;
startstate
  queue := [];
  queue := append(queue, 1);
  n := head(numbers);
  x := length(n);
  b := queue = numbers;
  b := [] = [];
  x := length([]);
  queue := tail(numbers);
  append(queue, n);
  b := empty(x, x);
end;
