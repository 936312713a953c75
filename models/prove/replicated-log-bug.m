-- expect: unsafe   (explore: --integers 0..3)
--
-- The log of replicated-log.m, with a head that overwrites what was appended last.

var
  log: array [integer] of integer;
  length: integer;
  channel: array [integer] of integer;   -- under way from `copied` up to, and without, `sent`
  sent: integer;
  copy: array [integer] of integer;
  copied: integer;

startstate "start"
  length := 0;
  sent := 0;
  copied := 0;
  clear log;
  clear channel;
  clear copy;
end;

ruleset v: 0..1 do
  rule "append"
    true
  ==>
    log[length] := v;
    length := length + 1;
  end;

  rule "correct"
    length > 0
  ==>
    log[length - 1] := v;
  end;
end;

rule "forward"
  sent < length
==>
  channel[sent] := log[sent];
  sent := sent + 1;
end;

rule "copy"
  copied < sent
==>
  copy[copied] := channel[copied];
  copied := copied + 1;
end;

invariant "the copy is a prefix"
  copied <= length & forall i: integer do 0 <= i & i < copied -> copy[i] = log[i] end;
