-- expect: safe   (explore: --size PROC=3) (check: --ignore-predicates)
--
-- Dijkstra's algorithm, the first for mutual exclusion of any number of processes.
--
-- A process that wants to enter says so (flag `trying`) and takes the turn when the process that has it does not want
-- anything. Who has the turn goes on to the second stage (flag `passing`), where it looks at all other processes, one
-- at a time: if it finds another in the second stage it goes back to the first, else it enters. Described in E. W.
-- Dijkstra: Solution of a problem in concurrent programming control (CACM 8:9, 1965); in this form, with flags of three
-- values and the set of processes seen, in N. Lynch: Distributed algorithms (Morgan Kaufmann 1996), section 10.3.
--
-- What holds: one process at most is in the critical section.
--
-- `seen[p][q]`: p, in its second stage, has seen that q is not in it.

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
    place[p] = second & q != p & flag[q] != passing
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
