-- expect: safe   (explore: --size PARTY=2 --size CONTRACT=1 --deadlock off) (check: --ignore-predicates)
--
-- Optimistic contract signing with a third party that is trusted and seldom needed: any number of participants and
-- contracts, some participants not honest.
--
-- The originator of a contract promises to sign it, the responder promises so, too; then the originator signs, then the
-- responder. A promise is a signature that only the third party can turn into a real one. Before it has a promise, the
-- originator may ask the third party to abort; who has a promise but not the signature may ask it to resolve, that is
-- to turn the promises into signatures. The third party does the first of these that it is asked for and answers all
-- later requests accordingly. Described in J. Garay, M. Jakobsson, P. MacKenzie: Abuse-free optimistic contract signing
-- (CRYPTO 1999); V. Shmatikov, J. Mitchell: Analysis of abuse-free contract signing (Financial Cryptography 2000). S.
-- Das: Predicate abstraction (thesis, Stanford 2003), section 4.7, proved its fairness for any number of participants.
--
-- What holds (fairness): when an honest participant ends without the contract, then the other does not have it, and
-- cannot get it. When two honest ones have ended, both have it or neither.
--
-- The network belongs to whoever wants it: what has been sent can be read by all, for ever, and need not arrive. Only
-- the third party is reached and answers in the end. Who is not honest may at any time send whatever only its own key
-- is needed for; the promise that a request to resolve needs must have been made. A contract is held by whoever has the
-- other's signature, real or made by the third party.

const
  PARTIES: 2;
  CONTRACTS: 1;

type
  PARTY: scalarset(PARTIES);
  CONTRACT: scalarset(CONTRACTS);
  ORIGINATOR: enum { new, promised, signed, aborting, resolving, done, failed };
  RESPONDER: enum { unasked, agreed, insisting, satisfied, refused };
  VERDICT: enum { open, aborted, resolved };

uninterpreted
  originator(c: CONTRACT): PARTY;
  responder(c: CONTRACT): PARTY;
  honest(p: PARTY): boolean;

axiom "there are two to a contract" forall c: CONTRACT do originator(c) != responder(c) end;

var
  first: array [CONTRACT] of ORIGINATOR;
  second: array [CONTRACT] of RESPONDER;
  verdict: array [CONTRACT] of VERDICT;
  first_promise, second_promise: array [CONTRACT] of boolean;        -- have been sent
  first_signature, second_signature: array [CONTRACT] of boolean;
  abort_asked, first_resolve, second_resolve: array [CONTRACT] of boolean;    -- requests to the third party

startstate "init"
  for c: CONTRACT do
    first[c] := new;
    second[c] := unasked;
    verdict[c] := open;
    first_promise[c] := false;
    second_promise[c] := false;
    first_signature[c] := false;
    second_signature[c] := false;
    abort_asked[c] := false;
    first_resolve[c] := false;
    second_resolve[c] := false;
  end;
end;

ruleset c: CONTRACT do

  -- an honest originator

  rule "originator promises"
    honest(originator(c)) & first[c] = new
  ==>
    first_promise[c] := true;
    first[c] := promised;
  end;

  rule "originator signs"
    honest(originator(c)) & first[c] = promised & second_promise[c]
  ==>
    first_signature[c] := true;
    first[c] := signed;
  end;

  rule "originator has the signature"
    honest(originator(c)) & first[c] = signed & second_signature[c]
  ==>
    first[c] := done;
  end;

  rule "originator asks to abort"
    honest(originator(c)) & first[c] = promised
  ==>
    abort_asked[c] := true;
    first[c] := aborting;
  end;

  rule "originator asks to resolve"
    honest(originator(c)) & first[c] = signed
  ==>
    first_resolve[c] := true;
    first[c] := resolving;
  end;

  rule "originator gets the contract"
    honest(originator(c)) & (first[c] = aborting | first[c] = resolving) & verdict[c] = resolved
  ==>
    first[c] := done;
  end;

  rule "originator gets no contract"
    honest(originator(c)) & (first[c] = aborting | first[c] = resolving) & verdict[c] = aborted
  ==>
    first[c] := failed;
  end;

  -- an honest responder

  rule "responder promises"
    honest(responder(c)) & second[c] = unasked & first_promise[c]
  ==>
    second_promise[c] := true;
    second[c] := agreed;
  end;

  rule "responder signs"
    honest(responder(c)) & second[c] = agreed & first_signature[c]
  ==>
    second_signature[c] := true;
    second[c] := satisfied;
  end;

  rule "responder asks to resolve"
    honest(responder(c)) & second[c] = agreed
  ==>
    second_resolve[c] := true;
    second[c] := insisting;
  end;

  rule "responder gets the contract"
    honest(responder(c)) & second[c] = insisting & verdict[c] = resolved
  ==>
    second[c] := satisfied;
  end;

  rule "responder gets no contract"
    honest(responder(c)) & second[c] = insisting & verdict[c] = aborted
  ==>
    second[c] := refused;
  end;

  -- the third party

  rule "abort"
    abort_asked[c] & verdict[c] = open
  ==>
    verdict[c] := aborted;
  end;

  rule "resolve for the originator"
    first_resolve[c] & second_promise[c] & verdict[c] = open
  ==>
    verdict[c] := resolved;
  end;

  rule "resolve for the responder"
    second_resolve[c] & first_promise[c] & verdict[c] = open
  ==>
    verdict[c] := resolved;
  end;

  -- participants that are not honest

  rule "dishonest originator promises"
    !honest(originator(c))
  ==>
    first_promise[c] := true;
  end;

  rule "dishonest originator signs"
    !honest(originator(c))
  ==>
    first_signature[c] := true;
  end;

  rule "dishonest originator asks to abort"
    !honest(originator(c))
  ==>
    abort_asked[c] := true;
  end;

  rule "dishonest originator asks to resolve"
    !honest(originator(c))
  ==>
    first_resolve[c] := true;
  end;

  rule "dishonest responder promises"
    !honest(responder(c))
  ==>
    second_promise[c] := true;
  end;

  rule "dishonest responder signs"
    !honest(responder(c))
  ==>
    second_signature[c] := true;
  end;

  rule "dishonest responder asks to resolve"
    !honest(responder(c))
  ==>
    second_resolve[c] := true;
  end;

end;

invariant "fair to the originator"
  forall c: CONTRACT do
    honest(originator(c)) & first[c] = failed -> !first_signature[c] & verdict[c] != resolved
  end;

invariant "fair to the responder"
  forall c: CONTRACT do
    honest(responder(c)) & second[c] = refused -> !second_signature[c] & verdict[c] != resolved
  end;

invariant "honest participants agree"
  forall c: CONTRACT do
    honest(originator(c)) & honest(responder(c))
    -> !(first[c] = done & second[c] = refused) & !(first[c] = failed & second[c] = satisfied)
  end;

predicate "unfair to an originator"
  exists c: CONTRACT do
    honest(originator(c)) & first[c] = failed & (first_signature[c] | verdict[c] = resolved)
  end;
predicate "unfair to a responder"
  exists c: CONTRACT do
    honest(responder(c)) & second[c] = refused & (second_signature[c] | verdict[c] = resolved)
  end;
predicate "honest participants disagree"
  exists c: CONTRACT do
    honest(originator(c)) & honest(responder(c))
    & (first[c] = done & second[c] = refused | first[c] = failed & second[c] = satisfied)
  end;
predicate "aborted without a request"
  exists c: CONTRACT do verdict[c] = aborted & !abort_asked[c] end;
predicate "an originator asked to abort and signed"
  exists c: CONTRACT do honest(originator(c)) & abort_asked[c] & first_signature[c] end;
predicate "an originator asked to abort though it did not"
  exists c: CONTRACT do
    honest(originator(c)) & abort_asked[c]
    & (first[c] = new | first[c] = promised | first[c] = signed | first[c] = resolving)
  end;
predicate "an originator signed too early"
  exists c: CONTRACT do
    honest(originator(c)) & first_signature[c] & (first[c] = new | first[c] = promised | first[c] = aborting)
  end;
predicate "an originator failed though nothing was aborted"
  exists c: CONTRACT do honest(originator(c)) & first[c] = failed & verdict[c] != aborted end;
predicate "a responder signed too early"
  exists c: CONTRACT do
    honest(responder(c)) & second_signature[c]
    & (second[c] = unasked | second[c] = agreed | second[c] = insisting | second[c] = refused)
  end;
predicate "a responder was refused though nothing was aborted"
  exists c: CONTRACT do honest(responder(c)) & second[c] = refused & verdict[c] != aborted end;
predicate "a responder is satisfied by less than a signature"
  exists c: CONTRACT do
    honest(responder(c)) & second[c] = satisfied & !first_signature[c] & verdict[c] != resolved
  end;
predicate "an originator is done by less than a signature"
  exists c: CONTRACT do
    honest(originator(c)) & first[c] = done & !second_signature[c] & verdict[c] != resolved
  end;
