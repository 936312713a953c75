type Small: 0..3; Large: 0..7; Node: scalarset(3);
var s: Small; l: Large; n: Node;
procedure up(var a: Small); begin a := a + 1; end;
procedure other(fixed: Small); begin up(fixed); end;
startstate
  up(s);
  up(l);
  up(2);
  up(s + 1);
  up(n);
  for i: Node do s := 0; end;
end;
