-- expect: unsafe   (explore: --integers 0..100 --deadlock off)
--
-- The rabbits of fibonacci-sum.m, added up a month too early.

var
  month: integer;         -- F(n): the pairs of this month
  next_month: integer;    -- F(n + 1)
  sum: integer;           -- F(1) + ... + F(n)

startstate "init"
  month := 1;
  next_month := 1;
  sum := 1;
end;

rule "a month goes by"
  var born: integer;
begin
  sum := sum + month;                 -- the bug: this should come last
  born := month;                      -- each pair of the month before has young now
  month := next_month;
  next_month := next_month + born;
end;

invariant "never fewer"
  next_month >= month;

invariant "the sum is one less than the number after the next"
  sum = month + next_month - 1;
