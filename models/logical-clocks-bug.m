-- expect: unsafe   (explore: --integers 0..4 --deadlock off)
--
-- The logical clocks of logical-clocks.m, where a receiver whose clock was behind does not count the receipt.

const
  PROCESSES: 2;

type
  PROC: scalarset(PROCESSES);

var
  clock: array [PROC] of integer;
  sent: array [PROC] of array [PROC] of boolean;       -- a message from the first to the second is under way
  stamp: array [PROC] of array [PROC] of integer;
  received: array [PROC] of boolean;                   -- the last event was the receipt of
  received_stamp: array [PROC] of integer;             -- a message with this number

startstate "init"
  for p: PROC do
    clock[p] := 0;
    received[p] := false;
    received_stamp[p] := 0;
    for q: PROC do
      sent[p][q] := false;
      stamp[p][q] := 0;
    end;
  end;
end;

ruleset p: PROC do
  rule "compute"
    clock[p] := clock[p] + 1;
    received[p] := false;
  end;
end;

ruleset p: PROC; q: PROC do

  rule "send"
    p != q & !sent[p][q]
  ==>
    clock[p] := clock[p] + 1;
    received[p] := false;
    sent[p][q] := true;
    stamp[p][q] := clock[p];
  end;

  rule "receive"
    sent[p][q]
  ==>
    sent[p][q] := false;
    if clock[q] < stamp[p][q] then
      clock[q] := stamp[p][q];
    else
      clock[q] := clock[q] + 1;    -- the bug: this is needed in both cases
    end;
    received[q] := true;
    received_stamp[q] := stamp[p][q];
  end;

end;

invariant "received after it was sent"
  forall p: PROC do received[p] -> received_stamp[p] < clock[p] end;

invariant "not from the future"
  forall p: PROC; q: PROC do sent[p][q] -> stamp[p][q] <= clock[p] end;
