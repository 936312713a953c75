type Colour: enum {red, green}; Point: record x, y: 0..3; end;
var c: Colour; p: Point; x: 0..3;
startstate
  switch p case red: x := 0; end;
  switch c
    case 1: x := 1;
    case green, true: x := wrong;
    else y := 1;
  end;
end;
