-- safe; proved; elements 0 and 3 are named: the claim is about four elements and more
const N: 4;
type P: 0..N-1;
var p: P; q: P;
startstate p := 0; q := 3; end;
rule "swap" p := 3; q := 0; end;
rule "back" p := 0; q := 3; end;
invariant "different" p != q;
