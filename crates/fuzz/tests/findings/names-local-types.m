-- safe; proved; local types of the same name are types of their own
type
  P: scalarset(5);
  T: enum {u, v};
  T_3: enum {w};
  T_4: enum {o};
var x: T; y: boolean;
procedure turn();
type T: enum {k, l, m};
var t: T;
begin
  t := y ? k : m;
  if t = l then x := v; end;
end;
startstate x := u; y := false; end;
ruleset a: P; b: P; c: P; d: P do
  rule "four" a != b & a != c & a != d & b != c & b != d & c != d ==>
    type T: enum {g, h};
    var t: T;
  begin
    t := y ? g : h;
    y := t = g;
    turn();
  end;
end;
rule "turn" y := !y; end;
invariant "never" x = u;
