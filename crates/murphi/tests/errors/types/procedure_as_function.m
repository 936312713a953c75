var x: 0..3; y: boolean;
procedure p(); begin x := 1; end;
startstate
  x := p();
  y := x();
  x(3);
end;
