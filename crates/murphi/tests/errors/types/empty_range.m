const N: 0;
type T: 1..N;
     S: scalarset(N);
var x: T;
    y: 3..-1;
startstate undefine x; end;
