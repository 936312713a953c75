-- unsafe; a local type that had to be renamed had the name of another one
type
  P: scalarset(5);
  T: enum {u, v};
  T_3: enum {e3, f3};
  T_4: enum {e4, f4};
  T_5: enum {e5, f5};
  T_6: enum {e6, f6};
  T_7: enum {e7, f7};
  T_8: enum {e8, f8};
  T_9: enum {e9, f9};
var x: boolean; bad: boolean;
startstate x := false; bad := false; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d & !x ==>
    type T: enum {k, l, m};
    var t: T;
  begin
    t := m;
    x := true;
    if t = m then bad := true; end;
  end;
end;
invariant "nothing" !bad;
