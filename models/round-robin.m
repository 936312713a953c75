-- expect: safe
--
-- A round-robin arbiter: one bus, and everybody who asks gets it after everybody else at most once.
--
-- When the bus is free, the arbiter searches the request lines, from the one after the last winner round to the last
-- winner itself, and grants the bus to the first that is raised. Arbiters of this kind are in every text on buses, such
-- as W. J. Dally, B. Towles: Principles and practices of interconnection networks (Morgan Kaufmann 2004), chapter 18.
--
-- What holds: one master at most has the bus, and nobody who asks is passed over more often than there are others.

const
  MASTERS: 4;

type
  MASTER: 0..MASTERS - 1;
  COUNT: 0..2 * MASTERS;

var
  request: array [MASTER] of boolean;
  has_bus: array [MASTER] of boolean;
  last: MASTER;
  passed_over: array [MASTER] of COUNT;     -- since it asked

function next_master(): MASTER;
  var m: MASTER;
begin
  for distance := 1 to MASTERS do
    m := (last + distance) % MASTERS;
    if request[m] then
      return m;
    end;
  end;
  error "there is a request";
end;

startstate "init"
  for m: MASTER do
    request[m] := false;
    has_bus[m] := false;
    passed_over[m] := 0;
  end;
  last := 0;
end;

rule "grant"
  (exists m: MASTER do request[m] end) & forall m: MASTER do !has_bus[m] end
==>
  var winner: MASTER;
begin
  winner := next_master();
  has_bus[winner] := true;
  request[winner] := false;
  passed_over[winner] := 0;
  last := winner;
  for m: MASTER do
    if request[m] then
      passed_over[m] := passed_over[m] + 1;
    end;
  end;
end;

ruleset m: MASTER do

  rule "ask"
    !request[m] & !has_bus[m]
  ==>
    request[m] := true;
  end;

  rule "release"
    has_bus[m]
  ==>
    has_bus[m] := false;
  end;

end;

invariant "one master"
  forall m: MASTER; n: MASTER do has_bus[m] & has_bus[n] -> m = n end;

invariant "bounded waiting"
  forall m: MASTER do passed_over[m] < MASTERS end;
