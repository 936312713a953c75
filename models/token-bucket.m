-- expect: safe   (explore: --integers 0..12 --deadlock off)
--
-- A token bucket: a sender may send in bursts, but not more in the long run than the rate that was agreed.
--
-- The bucket gets `RATE` tokens in each unit of time, but holds `BURST` tokens at most; a short packet takes one out,
-- and a long one two. The network polices it by one number only. The idea is that of J. Turner: New directions in
-- communications (IEEE Communications Magazine 24:10, 1986).
--
-- What holds: the bucket never holds less than nothing or more than `BURST`, and what was sent is within the contract:
-- at most `BURST` units of data, and `RATE` more for each unit of time that has gone by.
--
-- Time goes on for ever, so exploration looks only at times within the window above.

const
  RATE: 2;
  BURST: 3;

var
  now: integer;
  bucket: integer;
  sent: integer;

startstate "init"
  now := 0;
  bucket := BURST;
  sent := 0;
end;

rule "time goes on"
  now := now + 1;
  bucket := bucket + RATE;
  if bucket > BURST then
    bucket := BURST;
  end;
end;

rule "send a short packet"
  bucket > 0
==>
  bucket := bucket - 1;
  sent := sent + 1;
end;

rule "send a long packet"
  bucket >= 2
==>
  bucket := bucket - 2;
  sent := sent + 2;
end;

invariant "the bucket neither lacks tokens nor overflows"
  0 <= bucket & bucket <= BURST;

invariant "within the contract"
  sent <= BURST + RATE * now;
