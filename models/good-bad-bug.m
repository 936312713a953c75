-- expect: unsafe   (explore: --deadlock off)
--
-- The processes of good-bad.m, of which some may be bad from the start.

const
  PROCESSES: 3;

type
  PROC: scalarset(PROCESSES);
  STATUS: enum { good, bad };

var
  status: array [PROC] of STATUS;
  failed: boolean;

startstate "init"
  havoc status;    -- the bug: all should be `good`
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
