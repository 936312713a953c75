-- expect: safe   (explore: --integers 0..4 --deadlock off)
--
-- Logical clocks: events at any number of processes get numbers that respect cause and effect.
--
-- Each process counts its events. A message carries the number of the event that sent it, and who receives it moves its
-- own clock beyond that number. Described in L. Lamport: Time, clocks, and the ordering of events in a distributed
-- system (CACM 21:7, 1978), rules IR1 and IR2.
--
-- What holds: a message is received later, by the clock of the receiver, than it was sent by that of the sender; and no
-- message comes from the future of its sender.
--
-- Clocks go on for ever, so exploration looks only at numbers within the window above.

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
    end;
    clock[q] := clock[q] + 1;
    received[q] := true;
    received_stamp[q] := stamp[p][q];
  end;

end;

invariant "received after it was sent"
  forall p: PROC do received[p] -> received_stamp[p] < clock[p] end;

invariant "not from the future"
  forall p: PROC; q: PROC do sent[p][q] -> stamp[p][q] <= clock[p] end;
