-- expect: unsafe
--
-- The ticket algorithm of ticket-two.m, where both processes may be given the same ticket.

type
  PLACE: enum { init, wait, cs };

var
  pc1: PLACE;
  pc2: PLACE;
  a: integer;
  b: integer;
  t1: integer;
  t2: integer;

startstate "start"
  pc1 := init;
  pc2 := init;
  a := 0;
  b := 0;
  t1 := 0;
  t2 := 0;
end;

rule "take a"
  pc1 = init
==>
  a := t2;
  t2 := t2 + 1;
  pc1 := wait;
end;

rule "in a"
  pc1 = wait & a <= t1
==>
  pc1 := cs;
end;

rule "out a"
  pc1 = cs
==>
  t1 := t1 + 1;
  pc1 := init;
end;

rule "take b"
  pc2 = init
==>
  b := t2;
  pc2 := wait;
end;

rule "in b"
  pc2 = wait & b <= t1
==>
  pc2 := cs;
end;

rule "out b"
  pc2 = cs
==>
  t1 := t1 + 1;
  pc2 := init;
end;

invariant "mutual exclusion"
  !(pc1 = cs & pc2 = cs);
