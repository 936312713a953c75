-- expect: safe   (explore: --integers 0..400)
--
-- A counter without a bound: it goes up by one below ten, is doubled, and goes down by two.
--
-- It is the second example of predicate abstraction in S. Das: Predicate abstraction (thesis, Stanford 2003), figure
-- 2.2.
--
-- What holds: the counter is never 151. It can be any even number, but an odd one only below ten.
--
-- The counter has infinitely many values, so an exploration looks only at those within the window above.

var
  a: integer;

startstate "init"
  a := 0;
end;

rule "by one"
  0 <= a & a < 10
==>
  a := a + 1;
end;

rule "double"
  a := 2 * a;
end;

rule "down by two"
  a >= 2
==>
  a := a - 2;
end;

invariant "never 151"
  a != 151;

predicate "even" a % 2 = 0;
predicate "small" 0 <= a & a <= 10;
