-- A race for a printer, from the tutorial.

const
  CLIENTS: 2;

type
  CLIENT: scalarset(CLIENTS);
  PHASE: enum { idle, looked, printing };

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
  rule "look"
    phase[c] = idle & !busy
  ==>
    phase[c] := looked;
  end;

  rule "take"
    phase[c] = looked
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
