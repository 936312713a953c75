-- expect: unsafe   (explore: --integers 0..400) (check: --integers 0..400)
--
-- The counter of counter-unbounded.m, which goes down by one instead of two.

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

rule "down by one"
  a >= 2
==>
  a := a - 1;    -- the bug: this should be `a := a - 2`
end;

invariant "never 151"
  a != 151;

predicate "even" a % 2 = 0;
predicate "small" 0 <= a & a <= 10;
