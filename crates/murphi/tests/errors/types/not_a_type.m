const N: 3;
var x: N;
    y: array [x] of boolean;
startstate undefine x; end;
