-- expect: unsafe   (explore: --integers 0..4 --deadlock off)
--
-- The sliding window of sliding-window.m, whose sender sends one packet more than the window has room for.

uninterpreted
  window: integer;

axiom "there is a window" window >= 1;

var
  acknowledged: integer;      -- all packets before this one are
  next: integer;              -- the next to be sent for the first time
  expected: integer;          -- by the receiver: it has all packets before this one
  packet_sent: boolean;
  packet: integer;
  answer_sent: boolean;
  answer: integer;

startstate "init"
  acknowledged := 0;
  next := 0;
  expected := 0;
  packet_sent := false;
  packet := 0;
  answer_sent := false;
  answer := 0;
end;

rule "send a new packet"
  next <= acknowledged + window & !packet_sent    -- the bug: `<` is needed
==>
  packet_sent := true;
  packet := next;
  next := next + 1;
end;

rule "go back and send again"
  acknowledged < next & !packet_sent
==>
  packet_sent := true;
  havoc packet where acknowledged <= packet & packet < next;
end;

rule "lose a packet"
  packet_sent
==>
  packet_sent := false;
end;

rule "receive"
  packet_sent
==>
  if packet = expected then
    expected := expected + 1;
  end;
  packet_sent := false;
  answer_sent := true;
  havoc answer where answer >= acknowledged & answer <= expected;
end;

rule "lose an answer"
  answer_sent
==>
  answer_sent := false;
end;

rule "take an acknowledgement"
  answer_sent
==>
  if answer > acknowledged then
    acknowledged := answer;
  end;
  answer_sent := false;
end;

invariant "what is acknowledged is received"
  acknowledged <= expected;

invariant "what is received was sent"
  expected <= next;

invariant "a window at most is under way"
  next - acknowledged <= window;
