-- expect: safe   (explore: --integers 0..3) (check: --ignore-predicates)
--
-- Mutual exclusion by a token that travels in asynchronous messages: any number of processes, which are only counted.
--
-- A process that wants to enter takes the token from the channel, waiting until there is one; when it leaves, it sends
-- the token off, which is on its way for a while before it can be taken again. Each place of a process and each channel
-- is a number: how many processes, or messages, are there. Table 4.1 of S. Das: Predicate abstraction (thesis, Stanford
-- 2003) lists `Mux-AST' and says only that its proof needs a linear invariant. We take it to be mutual exclusion (Manna
-- and Pnueli call such programs MUX) by asynchronous sending of a token, as in Z. Manna, A. Pnueli: Temporal
-- verification of reactive systems: safety (Springer 1995), where linear invariants are the means of proof.
--
-- What holds: one process at most is inside. The linear invariant is that tokens here, under way and inside add up to
-- one.
--
-- Any number of processes may come, so exploration is bounded by the window above.

var
  idle: integer;          -- processes that rest; new ones may come
  waiting: integer;       -- processes that want to enter
  inside: integer;        -- processes in the critical section
  tokens: integer;        -- messages that can be taken
  travelling: integer;    -- messages under way

startstate "init"
  idle := 0;
  waiting := 0;
  inside := 0;
  tokens := 1;
  travelling := 0;
end;

rule "come"
  idle := idle + 1;
end;

rule "want"
  idle > 0
==>
  idle := idle - 1;
  waiting := waiting + 1;
end;

rule "enter"
  waiting > 0 & tokens > 0
==>
  waiting := waiting - 1;
  tokens := tokens - 1;
  inside := inside + 1;
end;

rule "leave"
  inside > 0
==>
  inside := inside - 1;
  travelling := travelling + 1;
  idle := idle + 1;
end;

rule "arrive"
  travelling > 0
==>
  travelling := travelling - 1;
  tokens := tokens + 1;
end;

invariant "mutual exclusion"
  inside <= 1;

predicate "mutual exclusion" inside <= 1;
predicate "one token in all" tokens + travelling + inside = 1;
predicate "nothing is negative" tokens >= 0 & travelling >= 0 & inside >= 0;
