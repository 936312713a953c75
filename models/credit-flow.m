-- expect: safe   (explore: --integers 0..2)
--
-- Credits: a sender never sends more over a link than the receiver has room for.
--
-- The link has three virtual channels, each with a buffer of its own at the receiver. For each channel the sender has
-- as many credits as there are free places in the buffer, and pays one for each flit. When a flit leaves the buffer, a
-- credit travels back. A request or a forwarded request leaves only where there is room for the response that it
-- causes; a response always leaves. Described in H. T. Kung, T. Blackwell, A. Chapman: Credit-based flow control for
-- ATM networks (SIGCOMM 1994).
--
-- What holds: no buffer overflows, and on each channel every place of the buffer is accounted for.
--
-- The depth of the buffers is arbitrary. Exploration takes it from the window above.

const
  VC_REQUEST: 0;
  VC_FORWARD: 1;
  VC_RESPONSE: 2;

type
  VC: 0..2;

uninterpreted
  depth: integer;

axiom "there is room" depth >= 1;

var
  credits: array [VC] of integer;       -- of the sender
  flits: array [VC] of integer;         -- on their way to the receiver
  buffered: array [VC] of integer;
  returning: array [VC] of integer;     -- credits on their way to the sender
  answering: boolean;                   -- a response is being made

startstate "init"
  for v: VC do
    credits[v] := depth;
    flits[v] := 0;
    buffered[v] := 0;
    returning[v] := 0;
  end;
  answering := false;
end;

procedure leave(v: VC);
begin
  buffered[v] := buffered[v] - 1;
  returning[v] := returning[v] + 1;
end;

ruleset v: VC do

  rule "send a flit"
    credits[v] > 0
  ==>
    credits[v] := credits[v] - 1;
    flits[v] := flits[v] + 1;
  end;

  rule "a flit arrives"
    flits[v] > 0
  ==>
    flits[v] := flits[v] - 1;
    buffered[v] := buffered[v] + 1;
  end;

  rule "a credit arrives"
    returning[v] > 0
  ==>
    returning[v] := returning[v] - 1;
    credits[v] := credits[v] + 1;
  end;

end;

ruleset v: VC_REQUEST..VC_FORWARD do
  rule "take a request"
    buffered[v] > 0 & !answering
  ==>
    leave(v);
    answering := true;
  end;
end;

rule "answer"
  answering
==>
  answering := false;
end;

rule "take a response"
  buffered[VC_RESPONSE] > 0
==>
  leave(VC_RESPONSE);
end;

invariant "every place is accounted for"
  forall v: VC do credits[v] + flits[v] + buffered[v] + returning[v] = depth end;

invariant "nothing is negative"
  forall v: VC do credits[v] >= 0 & flits[v] >= 0 & buffered[v] >= 0 & returning[v] >= 0 end;

invariant "no buffer overflows"
  forall v: VC do buffered[v] <= depth end;
