-- expect: unsafe   (explore: --integers 0..5 --deadlock off)
--
-- The fencing of fencing.m, whose store forgets to keep the number of a write.

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
    out_of_order := out_of_order | number[c] < last_write;
    last_write := number[c];    -- the bug: `seen := number[c]` is missing
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
