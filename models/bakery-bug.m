-- expect: unsafe   (explore: --integers 0..8)
--
-- The bakery algorithm of bakery.m, where the first process takes the ticket that the second has.

type
  PLACE: enum { idle, waiting, critical };

var
  place1, place2: PLACE;
  ticket1, ticket2: integer;

startstate "init"
  place1 := idle;
  place2 := idle;
  ticket1 := 0;
  ticket2 := 0;
end;

rule "first draws"
  place1 = idle
==>
  ticket1 := ticket2;    -- the bug: `+ 1` is missing
  place1 := waiting;
end;

rule "first enters"
  place1 = waiting & (ticket2 = 0 | ticket1 <= ticket2)
==>
  place1 := critical;
end;

rule "first leaves"
  place1 = critical
==>
  ticket1 := 0;
  place1 := idle;
end;

rule "second draws"
  place2 = idle
==>
  ticket2 := ticket1 + 1;
  place2 := waiting;
end;

rule "second enters"
  place2 = waiting & (ticket1 = 0 | ticket2 < ticket1)
==>
  place2 := critical;
end;

rule "second leaves"
  place2 = critical
==>
  ticket2 := 0;
  place2 := idle;
end;

invariant "mutual exclusion"
  !(place1 = critical & place2 = critical);

predicate "first is inside" place1 = critical;
predicate "second is inside" place2 = critical;
predicate "first rests" place1 = idle;
predicate "second rests" place2 = idle;
predicate "first has no ticket" ticket1 = 0;
predicate "second has no ticket" ticket2 = 0;
predicate "first is first" ticket1 <= ticket2;
predicate "tickets are not negative" ticket1 >= 0 & ticket2 >= 0;
