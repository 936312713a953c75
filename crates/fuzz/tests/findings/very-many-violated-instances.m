-- safe; indexed told a solver hundreds of thousands of instances for one model, deaf to its time limit
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
  havoc seen;
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
