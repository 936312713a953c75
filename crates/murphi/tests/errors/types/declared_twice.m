const N: 2;
type N: 0..3;
     Colour: enum {red, green, red};
var green: boolean;
function N(): boolean; begin return true; end;
startstate
var local: boolean; local: 0..3;
begin
  local := true;
end;
