-- expect: unsafe   (explore: --integers 0..3)
--
-- The token of mux-ast.m, of which a copy stays behind when it is taken.

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
  -- the bug: `tokens := tokens - 1;` is missing
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
