-- expect: unsafe   (explore: --integers 0..200)
--
-- The counter of counter.m, which at the end goes on instead of starting again.

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
  a := a + 51;    -- the bug: this should be `a := 0`
end;

invariant "never 151"
  a != 151;

predicate "units" 0 <= a & a < 10;
predicate "tens" 10 <= a & a < 100;
predicate "full" 100 <= a & a < 102;
