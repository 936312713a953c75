-- expect: unsafe   (explore: --integers -2..12 --deadlock off)
--
-- The token bucket of token-bucket.m, which lets a long packet through where one token is left.

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
  bucket > 0    -- the bug: this should be `bucket >= 2`
==>
  bucket := bucket - 2;
  sent := sent + 2;
end;

invariant "the bucket neither lacks tokens nor overflows"
  0 <= bucket & bucket <= BURST;

invariant "within the contract"
  sent <= BURST + RATE * now;
