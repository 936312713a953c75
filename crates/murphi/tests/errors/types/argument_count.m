var x: 0..3;
procedure p(a, b: 0..3); begin x := a; end;
function f(): 0..3; begin return 0; end;
startstate
  p(1);
  p(1, 2, 3);
  x := f(x);
  x := length();
end;
