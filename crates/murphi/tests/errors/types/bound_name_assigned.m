type Node: scalarset(3);
var x: 0..3;
    bag: multiset [2] of Node;
startstate
  x := 0;
  alias sum: x + 1 do sum := 2; end;
end;
choose i: bag do
  rule "chosen" true ==> begin clear i; end;
end;
