-- expect: safe   (explore: --deadlock off)
--
-- Leaders by majority: in each term every node has one vote, and who counts more than half of them leads.
--
-- A node that misses its leader becomes a candidate of the next term and votes for itself. The others give their vote
-- to the first candidate of a term that asks. Candidates count the votes that they have received, in a loop, and lead
-- when twice as many are more than all nodes. Who hears of a later term steps down. The election is that of D. Ongaro,
-- J. Ousterhout: In search of an understandable consensus algorithm (USENIX ATC 2014), without logs.
--
-- What holds: each term has one leader at most.
--
-- There are no more terms than `TERMS`, so exploration does not ask for deadlocks.

const
  NODES: 4;
  TERMS: 2;

type
  NODE: scalarset(NODES);
  TERM: 0..TERMS;
  ROLE: enum { follower, candidate, leader };
  COUNT: 0..NODES;

var
  role: array [NODE] of ROLE;
  term: array [NODE] of TERM;
  has_voted: array [NODE] of boolean;                 -- in its term
  vote: array [NODE] of array [NODE] of boolean;      -- the first has a vote of the second, in its term

function votes(c: NODE): COUNT;
  var n: COUNT;
begin
  n := 0;
  for v: NODE do
    if vote[c][v] then
      n := n + 1;
    end;
  end;
  return n;
end;

procedure enter_term(n: NODE; t: TERM);
begin
  term[n] := t;
  role[n] := follower;
  has_voted[n] := false;
  for v: NODE do vote[n][v] := false; end;
end;

startstate "init"
  for n: NODE do enter_term(n, 0); end;
end;

ruleset n: NODE do

  rule "stand for election"
    role[n] != leader & term[n] < TERMS
  ==>
    enter_term(n, term[n] + 1);
    role[n] := candidate;
    has_voted[n] := true;
    vote[n][n] := true;
  end;

  rule "win"
    role[n] = candidate & 2 * votes(n) > NODES
  ==>
    role[n] := leader;
  end;

end;

ruleset n: NODE; c: NODE do

  rule "hear of a later term"
    term[n] < term[c]
  ==>
    enter_term(n, term[c]);
  end;

  rule "vote"
    role[c] = candidate & term[n] = term[c] & !has_voted[n]
  ==>
    has_voted[n] := true;
    vote[c][n] := true;
  end;

end;

invariant "one leader in a term"
  forall n: NODE; m: NODE do
    n != m & role[n] = leader & role[m] = leader -> term[n] != term[m]
  end;
