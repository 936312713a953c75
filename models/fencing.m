-- expect: safe   (explore: --integers 0..5 --deadlock off)
--
-- Fencing: a lock service whose locks may be lost, and a store that is safe all the same.
--
-- Each time that the lock service grants the lock it counts up, and the client gets the number. The service may take
-- the lock away from a client that seems dead and is only slow, so several clients may believe that they hold the lock.
-- The store keeps the greatest number that it has seen and refuses writes with smaller ones. The numbers are the
-- sequencers of M. Burrows: The Chubby lock service for loosely-coupled distributed systems (OSDI 2006), section 2.4.
--
-- What holds: two clients never have the same number, no number is greater than what was granted, and the writes that
-- the store takes are in the order of the grants.
--
-- Numbers grow for ever, so exploration looks only at those within the window above.

const
  CLIENTS: 3;

type
  CLIENT: scalarset(CLIENTS);

var
  granted: integer;                       -- the last number given out
  free: boolean;
  believes: array [CLIENT] of boolean;    -- that it has the lock
  number: array [CLIENT] of integer;      -- of its last grant
  seen: integer;                          -- by the store
  last_write: integer;                    -- the number of the last write
  out_of_order: boolean;

startstate "init"
  granted := 0;
  free := true;
  for c: CLIENT do
    believes[c] := false;
    number[c] := 0;
  end;
  seen := 0;
  last_write := 0;
  out_of_order := false;
end;

rule "the lock is taken away"
  !free
==>
  free := true;
end;

ruleset c: CLIENT do

  rule "grant"
    free & !believes[c]
  ==>
    free := false;
    granted := granted + 1;
    number[c] := granted;
    believes[c] := true;
  end;

  rule "release"
    believes[c]
  ==>
    believes[c] := false;
    if number[c] = granted then
      free := true;
    end;
  end;

  rule "write"
    believes[c] & number[c] >= seen
  ==>
    seen := number[c];
    out_of_order := out_of_order | number[c] < last_write;
    last_write := number[c];
  end;

  rule "a write is refused"
    believes[c] & number[c] < seen
  ==>
    believes[c] := false;
  end;

end;

invariant "numbers differ"
  forall c: CLIENT; d: CLIENT do
    c != d & believes[c] & believes[d] -> number[c] != number[d]
  end;

invariant "numbers were granted"
  forall c: CLIENT do number[c] <= granted end;

invariant "writes are in order"
  !out_of_order;
