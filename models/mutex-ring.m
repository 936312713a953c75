-- expect: safe   (check: --ignore-predicates)
--
-- Mutual exclusion by a token that goes round a ring.
--
-- The stations of a ring pass one token to their right neighbours. Who has the token may enter the critical section, and
-- passes the token on afterwards, or at once if it does not want to enter. The token takes time to travel: between
-- two stations it is a message. Described in G. Le Lann: Distributed systems, towards a formal approach (IFIP 1977).
--
-- What holds: one station at most is in the critical section, and there is exactly one token, held or on its way.
--
-- Stations compute who is next, so `STATION` is no type of interchangeable elements: it keeps the size that is written
-- here, or that `--const STATIONS=n` gives.

const
  STATIONS: 5;

type
  STATION: 0..STATIONS - 1;
  PHASE: enum { resting, waiting, critical };

var
  phase: array [STATION] of PHASE;
  has_token: array [STATION] of boolean;
  on_its_way: array [STATION] of boolean;    -- a token is on its way to this station

startstate "init"
  for s: STATION do
    phase[s] := resting;
    has_token[s] := s = 0;
    on_its_way[s] := false;
  end;
end;

ruleset s: STATION do

  rule "want"
    phase[s] = resting
  ==>
    phase[s] := waiting;
  end;

  rule "enter"
    phase[s] = waiting & has_token[s]
  ==>
    phase[s] := critical;
  end;

  rule "leave"
    phase[s] = critical
  ==>
    phase[s] := resting;
  end;

  rule "pass on"
    has_token[s] & phase[s] != critical
  ==>
    has_token[s] := false;
    on_its_way[(s + 1) % STATIONS] := true;
  end;

  rule "receive"
    on_its_way[s]
  ==>
    on_its_way[s] := false;
    has_token[s] := true;
  end;

end;

invariant "mutual exclusion"
  forall s: STATION do forall t: STATION do
    s != t & phase[s] = critical -> phase[t] != critical
  end end;

invariant "there is a token"
  exists s: STATION do has_token[s] | on_its_way[s] end;

invariant "there is one token only"
  forall s: STATION do
    !(has_token[s] & on_its_way[s])
    & forall t: STATION do
        s != t & (has_token[s] | on_its_way[s]) -> !has_token[t] & !on_its_way[t]
      end
  end;
