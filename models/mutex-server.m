-- expect: safe   (explore: --deadlock off --size CELL=3 --size MESSAGE=3) (check: --ignore-predicates)
--
-- Mutual exclusion by a server: any number of cells and of messages.
--
-- A cell that wants to enter the critical section sends a request; the server grants one request at a time, and the
-- next only after the cell to which it granted the last one has sent its release. The network is a set of messages
-- without order. It is the running example of S. Das: Predicate abstraction (thesis, Stanford 2003), figure 2.7; its
-- predicates are those of sections 3.4 and 5.3. Where the figure writes `node_state[msg]` it must mean the state of the
-- cell.
--
-- What holds: the cells a and b, which can be any two, are never both in the critical section.
--
-- A network of a few messages can fill up with requests so that nobody can send a release. The network of the figure
-- has no end, so exploration does not ask for deadlocks.

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
    busy := true;
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
