var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
const big: 99999999999999999999;
  hex: 0xFFFFFFFFFFFFFFFFF;
  half: 0.5;
  least: -9223372036854775808;
type r: real(4, 10);
var v: r;
