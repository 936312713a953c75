-- expect: safe
--
-- Two-phase commit: a transaction at any number of sites is committed by all or by none.
--
-- The coordinator asks every site to prepare, by one message to each. A site votes yes, and then must wait for the
-- decision, or votes no and aborts by itself. The coordinator commits when every site has voted yes; it may abort for a
-- vote of no, or because it is tired of waiting. Described in J. Gray: Notes on data base operating systems (LNCS 60,
-- 1978).
--
-- What holds: no site commits where another aborts; and who commits does so because all have voted yes.

const
  SITES: 4;

type
  SITE: scalarset(SITES);
  MESSAGE: enum { none, prepare, vote_yes, vote_no, do_commit, do_abort };
  STATE: enum { working, prepared, committed, aborted };
  DECISION: enum { undecided, collecting, commit, abort };

var
  channel: array [SITE] of MESSAGE;       -- between the coordinator and the site, in either direction
  site: array [SITE] of STATE;
  voted_yes: array [SITE] of boolean;     -- what the coordinator has received
  decision: DECISION;

procedure broadcast(message: MESSAGE);
begin
  for s: SITE do
    channel[s] := message;
  end;
end;

startstate "init"
  for s: SITE do
    channel[s] := none;
    site[s] := working;
    voted_yes[s] := false;
  end;
  decision := undecided;
end;

rule "start to commit"
  decision = undecided
==>
  decision := collecting;
  broadcast(prepare);
end;

ruleset s: SITE do

  rule "vote yes"
    channel[s] = prepare & site[s] = working
  ==>
    site[s] := prepared;
    channel[s] := vote_yes;
  end;

  rule "vote no"
    channel[s] = prepare & site[s] = working
  ==>
    site[s] := aborted;
    channel[s] := vote_no;
  end;

  rule "receive yes"
    channel[s] = vote_yes & decision = collecting
  ==>
    voted_yes[s] := true;
    channel[s] := none;
  end;

  rule "receive no"
    channel[s] = vote_no & decision = collecting
  ==>
    decision := abort;
    broadcast(do_abort);
  end;

  rule "obey"
    channel[s] = do_commit | channel[s] = do_abort
  ==>
    site[s] := channel[s] = do_commit ? committed : aborted;
    channel[s] := none;
  end;

end;

rule "decide to commit"
  decision = collecting & forall s: SITE do voted_yes[s] end
==>
  decision := commit;
  broadcast(do_commit);
end;

rule "tired of waiting"
  decision = collecting
==>
  decision := abort;
  broadcast(do_abort);
end;

rule "the next transaction"
  (decision = commit | decision = abort)
  & forall s: SITE do channel[s] = none & (site[s] = committed | site[s] = aborted) end
==>
  decision := undecided;
  for s: SITE do
    site[s] := working;
    voted_yes[s] := false;
  end;
end;

invariant "all or none"
  forall s: SITE; t: SITE do
    !(site[s] = committed & site[t] = aborted)
  end;

invariant "all agreed to what is committed"
  forall s: SITE do
    site[s] = committed -> decision = commit & forall t: SITE do voted_yes[t] end
  end;
