-- unsafe; a local type of any size that had to be renamed was another one
type
  Q: scalarset(1);
  Q_8: scalarset(6);
var bad: boolean; s: array [Q_8] of boolean; m: array [Q] of boolean;
startstate bad := false; clear s; clear m; end;
ruleset a: Q_8; b: Q_8; c: Q_8; d: Q_8; e: Q_8 do
  rule "five" a != b & a != c & a != d & b != c & b != d & c != d & e != a & e != b & e != c & e != d ==>
    type Q: scalarset(1);
    var m: array [Q] of boolean;
  begin
    clear m;
    if forall i: Q; j: Q do i = j & !m[i] end then bad := true; end;
  end;
end;
invariant "nothing" !bad;
