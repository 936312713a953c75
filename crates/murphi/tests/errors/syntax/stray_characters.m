var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
rule 'r' begin
  x := 1 @ 2;
  y := $y;
  x := 3 \ 4;
end;
#include "other.m"
