-- Looking and taking in one step, from the tutorial.

const
  CLIENTS: 2;

type
  CLIENT: scalarset(CLIENTS);
  PHASE: enum { idle, printing };

var
  phase: array [CLIENT] of PHASE;
  busy: boolean;

startstate "init"
  for c: CLIENT do
    phase[c] := idle;
  end;
  busy := false;
end;

ruleset c: CLIENT do
  rule "take"
    phase[c] = idle & !busy
  ==>
    busy := true;
    phase[c] := printing;
  end;

  rule "done"
    phase[c] = printing
  ==>
    busy := false;
    phase[c] := idle;
  end;
end;

invariant "one prints at a time"
  forall c: CLIENT do forall d: CLIENT do
    c != d -> !(phase[c] = printing & phase[d] = printing)
  end end;
