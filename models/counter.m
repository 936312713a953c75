-- expect: safe   (explore: --integers 0..200) (check: --ignore-predicates)
--
-- A counter that goes up by one below ten, by two below a hundred, and then starts again.
--
-- It is the first example of predicate abstraction in S. Das: Predicate abstraction (thesis, Stanford 2003), figure
-- 2.1.
--
-- What holds: the counter is never 151. The three ranges that the thesis takes as predicates show that it stays below
-- 102.

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

rule "by two"
  10 <= a & a < 100
==>
  a := a + 2;
end;

rule "start again"
  100 <= a
==>
  a := 0;
end;

invariant "never 151"
  a != 151;

predicate "units" 0 <= a & a < 10;
predicate "tens" 10 <= a & a < 100;
predicate "full" 100 <= a & a < 102;
