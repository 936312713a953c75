var x: 0..3;
startstate
  alias a: y; b: []; c: a do
    a := 1;
    x := c;
  end;
end;
