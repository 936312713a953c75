-- rumur: undefined read, 1 states, 0 rules fired
-- `return` reads its value.

type T: 0..3;
var x: T; y: T;
function f(): T; begin return y; end;
startstate begin x := 0; end;
rule true ==> begin x := f(); end;
