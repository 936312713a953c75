-- expect: safe   (explore: --integers 0..8 --deadlock off)
--
-- A sliding window: data is sent without waiting for each acknowledgement, but only so far ahead.
--
-- The sender numbers its packets without end, and has at most `window` of them under way. The channels lose and repeat
-- messages: any packet of the window may arrive at any time, and so may any acknowledgement that was ever sent. The
-- receiver takes the packet that it expects, and drops all others; an acknowledgement says which packet it expects.
-- Described in N. V. Stenning: A data transfer protocol (Computer Networks 1, 1976), with a receiver's window of one.
--
-- What holds: what is acknowledged has been received, what is received has been sent, and no more than a window of
-- packets is under way; so an acknowledgement is never of a packet that was not sent.
--
-- The window may have any size. Numbers grow for ever, so exploration looks only at those within the window above.

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
  next < acknowledged + window & !packet_sent
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
