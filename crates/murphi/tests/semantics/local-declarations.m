-- rumur: ok, 2 states, 2 rules fired
-- Constants and types of a rule.

var x: 0..3; y: 0..3;
startstate begin x := 0; end;
rule true ==> const K: 2;
type T: 0..K;
var z: T; begin z := K; x := z; end;
