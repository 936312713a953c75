-- expect: safe   (explore: --deadlock off)
--
-- Election in a ring: stations find the greatest of their numbers.
--
-- A station sends its number to its right neighbour. A number is passed on by stations with smaller ones and dropped by
-- those with greater ones, so only the greatest comes all the way round, and its station leads. Stations start when
-- they like; who has passed on a number starts no more. Described in E. Chang, R. Roberts: An improved algorithm for
-- decentralized extrema-finding in circular configurations of processes (CACM 22:5, 1979).
--
-- What holds: who leads has the greatest number; so one station at most leads.
--
-- When all numbers but the greatest are dropped nothing is left to do, so exploration does not ask for deadlocks.

const
  STATIONS: 4;

type
  STATION: 0..STATIONS - 1;
  NUMBER: 1..STATIONS;

var
  number: array [STATION] of NUMBER;
  takes_part: array [STATION] of boolean;
  leads: array [STATION] of boolean;
  arriving: array [STATION] of array [NUMBER] of boolean;    -- the number is on its way to the station

function right_of(s: STATION): STATION;
begin
  return (s + 1) % STATIONS;
end;

startstate "init"
  for s: STATION do
    takes_part[s] := false;
    leads[s] := false;
    for k: NUMBER do arriving[s][k] := false; end;
  end;
  havoc number where forall s: STATION; t: STATION do s != t -> number[s] != number[t] end;
end;

ruleset s: STATION do
  rule "start"
    !takes_part[s]
  ==>
    takes_part[s] := true;
    arriving[right_of(s)][number[s]] := true;
  end;
end;

ruleset s: STATION; k: NUMBER do

  rule "pass on"
    arriving[s][k] & k > number[s]
  ==>
    arriving[s][k] := false;
    takes_part[s] := true;
    arriving[right_of(s)][k] := true;
  end;

  rule "drop"
    arriving[s][k] & k < number[s]
  ==>
    arriving[s][k] := false;
    if !takes_part[s] then
      takes_part[s] := true;
      arriving[right_of(s)][number[s]] := true;
    end;
  end;

  rule "lead"
    arriving[s][k] & k = number[s]
  ==>
    arriving[s][k] := false;
    leads[s] := true;
  end;

end;

invariant "the greatest leads"
  forall s: STATION; t: STATION do leads[s] -> number[t] <= number[s] end;

invariant "one leads"
  forall s: STATION; t: STATION do leads[s] & leads[t] -> s = t end;
