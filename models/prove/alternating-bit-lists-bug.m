-- expect: unsafe
--
-- The protocol of alternating-bit-lists.m, with a sender that takes every acknowledgement for the one that it awaits.

type
  DATA: scalarset(2);
  SENDER: enum { s1, s2 };
  RECEIVER: enum { r1, r2 };

var
  sender: SENDER;
  receiver: RECEIVER;
  b: boolean;                  -- the bit of the message that is being sent
  c: boolean;                  -- the bit of the message that was received last
  message: DATA;
  sent: list of DATA;
  received: list of DATA;
  message_present: boolean;
  message_bit: boolean;
  message_data: DATA;
  ack_present: boolean;
  ack_bit: boolean;

ruleset d: DATA do
  startstate "start"
    sender := s1;
    receiver := r1;
    b := false;
    c := false;
    message := d;
    sent := [];
    received := [];
    message_present := false;
    message_bit := false;
    message_data := d;
    ack_present := false;
    ack_bit := false;
  end;

  rule "new message"
    sender = s1
  ==>
    message := d;
    sent := append(sent, d);
    b := !b;
    sender := s2;
  end;
end;

rule "send message"
  sender = s2
==>
  message_present := true;
  message_bit := b;
  message_data := message;
end;

rule "receive ack"
  sender = s2 & ack_present
==>
  ack_present := false;
  sender := s1;
end;

rule "receive message"
  receiver = r1 & message_present & message_bit != c
==>
  received := append(received, message_data);
  c := message_bit;
  message_present := false;
  receiver := r2;
end;

rule "receive message again"
  receiver = r1 & message_present & message_bit = c
==>
  message_present := false;
  receiver := r2;
end;

rule "send ack"
  receiver = r2
==>
  ack_present := true;
  ack_bit := c;
  receiver := r1;
end;

rule "lose message"
  message_present
==>
  message_present := false;
end;

rule "lose ack"
  ack_present
==>
  ack_present := false;
end;

invariant "at most one message apart"
  sent = received | sent = append(received, message);
