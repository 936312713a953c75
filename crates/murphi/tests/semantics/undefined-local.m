-- rumur: undefined read, 1 states, 0 rules fired
-- Local variables start undefined.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule true ==> var z: 0..3; begin x := z; end;
