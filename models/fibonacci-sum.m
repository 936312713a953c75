-- expect: safe   (explore: --integers 0..100 --deadlock off)
--
-- Rabbits: the Fibonacci numbers, and their sum.
--
-- A pair of rabbits brings forth a new pair in each month, from its second month on. Somebody adds up how many pairs
-- there are in each month. The rabbits are those of Leonardo of Pisa: Liber abaci (1202); that the sum of the first n
-- numbers is one less than the number after the next is due to E. Lucas (1876).
--
-- What holds: there are never fewer pairs than in the month before, and the sum is what Lucas says.
--
-- Rabbits multiply for ever, so exploration looks only at numbers within the window above.

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
  born := month;                      -- each pair of the month before has young now
  month := next_month;
  next_month := next_month + born;
  sum := sum + month;
end;

invariant "never fewer"
  next_month >= month;

invariant "the sum is one less than the number after the next"
  sum = month + next_month - 1;
