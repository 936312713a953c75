-- A lock with mistakes in it, for the README.

const
  CLIENTS: 3;

type
  CLIENT: scalarset(CLIENTS);
  PHASE: enum { idle, waiting, busy };

var
  phase: array [CLIENT] of PHASE;
  owner: CLIENT;
  locked: boolean;

startstate
  for c: CLIENT do
    phase[c] := idel;
  end;
  locked := 0;
end;

ruleset c: CLIENT do
  rule "acquire"
    phase[c] = waiting & !lockd
  ==>
    locked := true
    owner := c;
    phase[c] := busy;
  end;

  rule "release"
    phase[c] = busy && owner
  ==>
    locked := false;
    owner := c + 1;
    phase(c) := idle;
  end;
end;

invariant "mutual exclusion"
  forall c: CLIENT; d: CLIENT do
    phase[c] = busy & phase[d] = busy -> c = e
  end;
