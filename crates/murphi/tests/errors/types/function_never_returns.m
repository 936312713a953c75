var x: 0..3;
function f(n: 0..3): 0..3; begin x := n; end;
startstate x := f(1); end;
invariant "small" x < 3;
