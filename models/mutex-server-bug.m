-- expect: unsafe   (explore: --deadlock off --size CELL=3 --size MESSAGE=3)
--
-- The server of mutex-server.m, which does not remember that it has granted a request.

const
  CELLS: 2;
  MESSAGES: 3;

type
  CELL: scalarset(CELLS);
  MESSAGE: scalarset(MESSAGES);
  PLACE: enum { init, critical };
  SORT: enum { invalid, request, grant, release };

uninterpreted
  a, b: CELL;

axiom "two cells" a != b;

var
  place: array [CELL] of PLACE;
  sort: array [MESSAGE] of SORT;
  sender: array [MESSAGE] of CELL;      -- or the receiver of a grant
  owner: CELL;                          -- of the last grant
  busy: boolean;

startstate "init"
  for c: CELL do place[c] := init; end;
  for m: MESSAGE do sort[m] := invalid; end;
  havoc sender;
  havoc owner;
  busy := false;
end;

ruleset c: CELL; m: MESSAGE do

  rule "ask"
    place[c] = init & sort[m] = invalid
  ==>
    sort[m] := request;
    sender[m] := c;
  end;

  rule "enter"
    place[c] = init & sort[m] = grant & sender[m] = c
  ==>
    sort[m] := invalid;
    place[c] := critical;
  end;

  rule "leave"
    place[c] = critical & sort[m] = invalid
  ==>
    sort[m] := release;
    sender[m] := c;
    place[c] := init;
  end;

end;

ruleset m: MESSAGE do

  rule "server grants"
    !busy & sort[m] = request
  ==>
    sort[m] := grant;
    owner := sender[m];
    busy := false;    -- the bug: this should be `true`
  end;

  rule "server takes back"
    busy & sort[m] = release & sender[m] = owner
  ==>
    sort[m] := invalid;
    busy := false;
  end;

end;

invariant "mutual exclusion"
  !(place[a] = critical & place[b] = critical);

predicate "a is inside" place[a] = critical;
predicate "b is inside" place[b] = critical;
predicate "some grant" exists m: MESSAGE do sort[m] = grant end;
predicate "two grants" exists m: MESSAGE; n: MESSAGE do m != n & sort[m] = grant & sort[n] = grant end;
predicate "some release" exists m: MESSAGE do sort[m] = release end;
predicate "two releases" exists m: MESSAGE; n: MESSAGE do m != n & sort[m] = release & sort[n] = release end;
predicate "some cell is inside" exists c: CELL do place[c] = critical end;
predicate "two cells are inside" exists c: CELL; d: CELL do c != d & place[c] = critical & place[d] = critical end;
predicate "busy" busy;
