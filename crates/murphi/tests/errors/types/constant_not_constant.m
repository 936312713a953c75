var x: 0..3;
const N: x + 1;
      M: N + 1;
function f(): 0..3; begin return 1; end;
const K: f();
