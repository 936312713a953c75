var x: 0..3;
const N: x;
type T: 0..x;
startstate x := 0; end;
