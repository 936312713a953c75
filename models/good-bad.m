-- expect: safe   (explore: --deadlock off) (check: --ignore-predicates)
--
-- Any number of processes that are all good: an error would need one that is bad.
--
-- It is the smallest example whose proof needs a quantified predicate that nobody wrote: S. Das: Predicate abstraction
-- (thesis, Stanford 2003), figure 5.3; also S. Das, D. Dill: Counter-example based predicate discovery in predicate
-- abstraction (FMCAD 2002), figure 3.
--
-- What holds: there is no error, for no process is bad. Nothing ever happens, so exploration must not ask for
-- deadlocks.

const
  PROCESSES: 3;

type
  PROC: scalarset(PROCESSES);
  STATUS: enum { good, bad };

var
  status: array [PROC] of STATUS;
  failed: boolean;

startstate "init"
  for p: PROC do status[p] := good; end;
  failed := false;
end;

ruleset p: PROC do
  rule "fail"
    status[p] = bad
  ==>
    failed := true;
  end;
end;

invariant "no error"
  !failed;

predicate "error" failed;
predicate "some are bad" exists p: PROC do status[p] = bad end;
