-- expect: unsafe   (explore: --integers 0..2)
--
-- The credits of credit-flow.m, where the receiver returns a credit when a flit arrives.

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
    returning[v] := returning[v] + 1;    -- the bug: this belongs to `leave`
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
