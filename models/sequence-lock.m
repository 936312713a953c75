-- expect: safe   (explore: --integers 0..6 --deadlock off)
--
-- A sequence lock: readers never make a writer wait, and read again where a writer came between.
--
-- A writer makes the sequence number odd, writes the two words, and makes it even again. A reader waits for an even
-- number, reads one word and then the other, and takes what it has read only if the number is the same as before. After
-- C. Lameter: Effective synchronization on Linux/NUMA systems (Gelato conference 2005).
--
-- What holds: who has read successfully has read two words of the same write, for any number of readers.
--
-- The number grows for ever, so exploration looks only at those within the window above.

const
  READERS: 2;

type
  READER: scalarset(READERS);
  STEP: enum { idle, read_none, read_first, read_both, done };

var
  sequence: integer;
  first: integer;                         -- the two words are the number of the write
  second: integer;
  writing: boolean;
  half_written: boolean;
  step: array [READER] of STEP;
  before: array [READER] of integer;      -- the sequence number that the reader saw
  got_first: array [READER] of integer;
  got_second: array [READER] of integer;

startstate "init"
  sequence := 0;
  first := 0;
  second := 0;
  writing := false;
  half_written := false;
  for r: READER do
    step[r] := idle;
    before[r] := 0;
    got_first[r] := 0;
    got_second[r] := 0;
  end;
end;

rule "lock for writing"
  !writing
==>
  writing := true;
  half_written := false;
  sequence := sequence + 1;
end;

rule "write the first word"
  writing & !half_written
==>
  first := first + 1;
  half_written := true;
end;

rule "write the second word and unlock"
  writing & half_written
==>
  second := first;
  writing := false;
  sequence := sequence + 1;
end;

ruleset r: READER do

  rule "begin to read"
    step[r] = idle & !writing
  ==>
    before[r] := sequence;
    step[r] := read_none;
  end;

  rule "read the first word"
    step[r] = read_none
  ==>
    got_first[r] := first;
    step[r] := read_first;
  end;

  rule "read the second word"
    step[r] = read_first
  ==>
    got_second[r] := second;
    step[r] := read_both;
  end;

  rule "check"
    step[r] = read_both
  ==>
    step[r] := sequence = before[r] ? done : idle;
  end;

  rule "use it"
    step[r] = done
  ==>
    step[r] := idle;
  end;

end;

invariant "two words of the same write"
  forall r: READER do step[r] = done -> got_first[r] = got_second[r] end;
