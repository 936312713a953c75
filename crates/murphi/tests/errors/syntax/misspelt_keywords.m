var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rul "r" b ==> begin
  whlie x < 3 do x := x + 1; end;
  swicth y case 1: x := 2; end;
  if b tehn x := 1; esle x := 2; endfi;
  retrun;
end;

strtstate begin x := 1; end;
invarient "small" x < 9;
ruelset i: 0..3 do
  rule x = i ==> begin y := i; end;
end;
fuction f(): boolean; begin return b; end;
