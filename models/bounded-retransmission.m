-- expect: safe   (explore: --integers 0..3) (check: --ignore-predicates)
--
-- The bounded retransmission protocol: a file of any length is sent in chunks over channels that lose messages, and
-- each chunk is sent again a limited number of times only.
--
-- It is the alternating bit protocol with an end: when a chunk has been sent as often as allowed without an answer, the
-- sender gives up and tells its client that the file was not sent or, where this was the last chunk, that it does not
-- know. It knows by its clock that no message is under way when it sends again or gives up. The next file starts afresh
-- on both sides. Described in L. Helmink, M. Sellink, F. Vaandrager: Proof-checking a data link protocol (TYPES 1993);
-- S. Graf, H. Saidi: Construction of abstract state graphs with PVS (CAV 1997) proved it by predicate abstraction.
--
-- What holds: chunks are delivered once each and in order; when the sender says that all was sent, all has been
-- delivered; when it says that it was not, the last chunk has not been delivered; when it does not know, nothing or one
-- chunk is missing.
--
-- The length of the file and the limit are arbitrary. Exploration takes them from the window above.

uninterpreted
  chunks: integer;        -- of the file, numbered from 1
  limit: integer;         -- how often a chunk may be sent again

axiom "files are not empty" chunks >= 1;
axiom "the limit is not negative" limit >= 0;

type
  PLACE: enum { sending, awaiting, sent, not_sent, not_known };

var
  place: PLACE;           -- of the sender; the last three are what it tells its client
  chunk: integer;         -- the one that it sends, with `bit`
  bit: boolean;
  again: integer;         -- how often it has been sent again
  packet_sent: boolean;   -- the channel to the receiver is not empty
  packet_chunk: integer;
  packet_bit: boolean;
  answer_sent: boolean;   -- the channel to the sender is not empty
  delivered: integer;     -- how many chunks the receiver has delivered
  expected: boolean;
  wrong: boolean;         -- the receiver has delivered a chunk that was not the next

startstate "init"
  place := sending;
  chunk := 1;
  bit := false;
  again := 0;
  packet_sent := false;
  packet_chunk := 0;
  packet_bit := false;
  answer_sent := false;
  delivered := 0;
  expected := false;
  wrong := false;
end;

rule "send"
  place = sending
==>
  packet_sent := true;
  packet_chunk := chunk;
  packet_bit := bit;
  place := awaiting;
end;

rule "lose the packet"
  packet_sent
==>
  packet_sent := false;
end;

rule "deliver a chunk"
  packet_sent & packet_bit = expected
==>
  wrong := wrong | packet_chunk != delivered + 1;
  delivered := delivered + 1;
  expected := !expected;
  packet_sent := false;
  answer_sent := true;
end;

rule "answer again"
  packet_sent & packet_bit != expected
==>
  packet_sent := false;
  answer_sent := true;
end;

rule "lose the answer"
  answer_sent
==>
  answer_sent := false;
end;

rule "go on with the next chunk"
  answer_sent & place = awaiting & chunk < chunks
==>
  answer_sent := false;
  chunk := chunk + 1;
  bit := !bit;
  again := 0;
  place := sending;
end;

rule "all is sent"
  answer_sent & place = awaiting & chunk = chunks
==>
  answer_sent := false;
  place := sent;
end;

rule "send again"
  place = awaiting & !packet_sent & !answer_sent & again < limit
==>
  again := again + 1;
  place := sending;
end;

rule "give up before the last chunk"
  place = awaiting & !packet_sent & !answer_sent & again = limit & chunk < chunks
==>
  place := not_sent;
end;

rule "give up at the last chunk"
  place = awaiting & !packet_sent & !answer_sent & again = limit & chunk = chunks
==>
  place := not_known;
end;

rule "the next file"
  place = sent | place = not_sent | place = not_known
==>
  place := sending;
  chunk := 1;
  bit := false;
  again := 0;
  delivered := 0;
  expected := false;
end;

invariant "chunks are delivered in order"
  !wrong;

invariant "sent is delivered"
  place = sent -> delivered = chunks;

invariant "not sent is not delivered"
  place = not_sent -> delivered < chunks;

invariant "not known is all or all but one"
  place = not_known -> delivered = chunks | delivered = chunks - 1;

predicate "a chunk was wrong" wrong;
predicate "awaiting" place = awaiting;
predicate "sent" place = sent;
predicate "not sent" place = not_sent;
predicate "not known" place = not_known;
predicate "all delivered" delivered = chunks;
predicate "all but one delivered" delivered = chunks - 1;
predicate "last chunk" chunk = chunks;
predicate "beyond the last chunk" chunk > chunks;
predicate "the sender's chunk is delivered" delivered = chunk;
predicate "the sender's chunk is the next" delivered = chunk - 1;
predicate "same bit" bit = expected;
predicate "a packet is under way" packet_sent;
predicate "the packet has the sender's bit" packet_bit = bit;
predicate "the packet has the sender's chunk" packet_chunk = chunk;
predicate "an answer is under way" answer_sent;
