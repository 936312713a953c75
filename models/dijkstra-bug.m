-- expect: unsafe   (explore: --size PROC=3)
--
-- Dijkstra's algorithm of dijkstra.m, where a process in its second stage overlooks those that are in the critical
-- section.

const
  PROCESSES: 3;

type
  PROC: scalarset(PROCESSES);
  PLACE: enum { idle, wanting, taking, second, critical };
  FLAG: enum { none, trying, passing };

var
  place: array [PROC] of PLACE;
  flag: array [PROC] of FLAG;
  turn: PROC;
  seen: array [PROC] of array [PROC] of boolean;

startstate "init"
  for p: PROC do
    place[p] := idle;
    flag[p] := none;
    for q: PROC do seen[p][q] := false; end;
  end;
  havoc turn;
end;

ruleset p: PROC do

  rule "want"
    place[p] = idle
  ==>
    flag[p] := trying;
    place[p] := wanting;
  end;

  rule "find the turn free"
    place[p] = wanting & turn != p & flag[turn] = none
  ==>
    place[p] := taking;
  end;

  rule "take the turn"
    place[p] = taking
  ==>
    turn := p;
    place[p] := wanting;
  end;

  rule "go on"
    place[p] = wanting & turn = p
  ==>
    flag[p] := passing;
    place[p] := second;
    for q: PROC do seen[p][q] := q = p; end;
  end;

  rule "enter"
    place[p] = second & forall q: PROC do seen[p][q] end
  ==>
    place[p] := critical;
  end;

  rule "leave"
    place[p] = critical
  ==>
    flag[p] := none;
    place[p] := idle;
    for q: PROC do seen[p][q] := false; end;
  end;

end;

ruleset p: PROC; q: PROC do

  rule "see nothing"
    place[p] = second & q != p & (flag[q] != passing | turn = p)    -- the bug: who has the turn should look, too
  ==>
    seen[p][q] := true;
  end;

  rule "see another"
    place[p] = second & q != p & flag[q] = passing
  ==>
    flag[p] := trying;
    place[p] := wanting;
    for r: PROC do seen[p][r] := false; end;
  end;

end;

invariant "mutual exclusion"
  forall p: PROC; q: PROC do
    p != q & place[p] = critical -> place[q] != critical
  end;

predicate "two are inside"
  exists p: PROC; q: PROC do p != q & place[p] = critical & place[q] = critical end;
predicate "two have seen each other"
  exists p: PROC; q: PROC do p != q & seen[p][q] & seen[q][p] end;
predicate "somebody is inside without having seen all"
  exists p: PROC; q: PROC do p != q & place[p] = critical & !seen[p][q] end;
predicate "somebody passes without the flag"
  exists p: PROC do (place[p] = second | place[p] = critical) & flag[p] != passing end;
predicate "somebody has seen others though he does not pass"
  exists p: PROC; q: PROC do p != q & seen[p][q] & place[p] != second & place[p] != critical end;
