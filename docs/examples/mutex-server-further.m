invariant "who is inside keeps the server busy"
  forall c: CELL do place[c] = critical -> busy end;

invariant "requests wait"
  forall m: MESSAGE do sort[m] = request -> busy end;
