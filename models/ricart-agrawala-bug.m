-- expect: unsafe   (explore: --integers 0..4 --deadlock off)
--
-- The protocol of ricart-agrawala.m, where a node forgets the timestamps that it has seen.

const
  NODES: 2;

type
  NODE: scalarset(NODES);
  PLACE: enum { outside, asking, inside };

uninterpreted
  before(a, b: NODE): boolean;            -- the order of names

axiom "irreflexive" forall a: NODE do !before(a, a) end;
axiom "transitive" forall a: NODE; b: NODE; c: NODE do before(a, b) & before(b, c) -> before(a, c) end;
axiom "total" forall a: NODE; b: NODE do a != b -> before(a, b) | before(b, a) end;

var
  place: array [NODE] of PLACE;
  stamp: array [NODE] of integer;                       -- of its last request
  highest: array [NODE] of integer;                     -- timestamp that it has seen
  request: array [NODE] of array [NODE] of boolean;     -- under way from the first to the second
  deferred: array [NODE] of array [NODE] of boolean;    -- the first owes the second an answer
  allowed: array [NODE] of array [NODE] of boolean;     -- the first has the permission of the second

startstate "init"
  for n: NODE do
    place[n] := outside;
    stamp[n] := 0;
    highest[n] := 0;
    for m: NODE do
      request[n][m] := false;
      deferred[n][m] := false;
      allowed[n][m] := false;
    end;
  end;
end;

ruleset n: NODE do

  rule "ask"
    place[n] = outside
  ==>
    place[n] := asking;
    stamp[n] := highest[n] + 1;
    highest[n] := highest[n] + 1;
    for m: NODE do
      request[n][m] := m != n;
      allowed[n][m] := m = n;
    end;
  end;

  rule "enter"
    place[n] = asking & forall m: NODE do allowed[n][m] end
  ==>
    place[n] := inside;
  end;

  rule "leave"
    place[n] = inside
  ==>
    place[n] := outside;
    for m: NODE do
      if deferred[n][m] then
        allowed[m][n] := true;
        deferred[n][m] := false;
      end;
    end;
  end;

end;

ruleset n: NODE; m: NODE do
  rule "receive a request"
    request[n][m]
  ==>
    request[n][m] := false;
    -- the bug: `highest[m]` must not stay below `stamp[n]`
    if place[m] = inside
       | place[m] = asking & (stamp[m] < stamp[n] | stamp[m] = stamp[n] & before(m, n)) then
      deferred[m][n] := true;
    else
      allowed[n][m] := true;
    end;
  end;
end;

invariant "mutual exclusion"
  forall n: NODE; m: NODE do n != m & place[n] = inside -> place[m] != inside end;
