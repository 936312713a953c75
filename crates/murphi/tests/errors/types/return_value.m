var x: 0..3;
function f(): boolean; begin return x; end;
function g(): boolean; begin return; end;
procedure p(); begin return 1; end;
startstate x := 0; return x; end;
