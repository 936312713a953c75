-- expect: unsafe   (explore: --size NODE=2 --deadlock off)
--
-- The garbage collection of gc-coarse.m, where the collector does not shade the root. (A mutator that does not shade is
-- found with three nodes, in some seconds.)

const
  NODES: 2;

type
  NODE: scalarset(NODES);
  COLOUR: enum { white, gray, black };
  PHASE: enum { begins, marks, sweeps };

uninterpreted
  root: NODE;

var
  left, right: array [NODE] of NODE;
  accessible: array [NODE] of boolean;
  colour: array [NODE] of COLOUR;
  phase: PHASE;
  passed: array [NODE] of boolean;    -- found not gray since the last gray one; or swept
  failed: boolean;                    -- an accessible node was freed

startstate "init"
  havoc left, right, accessible where
    accessible[root]
    & (forall n: NODE do accessible[n] -> accessible[left[n]] & accessible[right[n]] end);
  for n: NODE do
    colour[n] := white;
    passed[n] := false;
  end;
  phase := begins;
  failed := false;
end;

rule "shade the root"
  phase = begins
==>
  -- the bug: `colour[root] := gray;` is missing
  for n: NODE do passed[n] := false; end;
  phase := marks;
end;

ruleset n: NODE do

  rule "mark a gray node"
    phase = marks & !passed[n] & colour[n] = gray
  ==>
    for m: NODE do
      colour[m] := m = n ? black : ((m = left[n] | m = right[n]) & colour[m] = white ? gray : colour[m]);
      passed[m] := false;
    end;
  end;

  rule "pass a node"
    phase = marks & !passed[n] & colour[n] != gray
  ==>
    passed[n] := true;
  end;

  rule "free a node"
    phase = sweeps & !passed[n] & colour[n] = white
  ==>
    failed := failed | accessible[n];
    passed[n] := true;
  end;

  rule "whiten a node"
    phase = sweeps & !passed[n] & colour[n] != white
  ==>
    colour[n] := white;
    passed[n] := true;
  end;

end;

rule "end of marking"
  phase = marks & forall n: NODE do passed[n] end
==>
  assume "accessible is the smallest: where black nodes lead to black ones, accessible nodes are black"
    colour[root] = black
    & (forall n: NODE do colour[n] = black -> colour[left[n]] = black & colour[right[n]] = black end)
    -> (forall n: NODE do accessible[n] -> colour[n] = black end);
  for n: NODE do passed[n] := false; end;
  phase := sweeps;
end;

rule "end of sweeping"
  phase = sweeps & forall n: NODE do passed[n] end
==>
  phase := begins;
end;

-- the mutator

ruleset n: NODE; k: NODE do

  rule "direct left to"
    accessible[k]
  ==>
    var before: array [NODE] of boolean;
  begin
    assume "accessible is the smallest: where black nodes lead to black ones, accessible nodes are black"
      colour[root] = black
      & (forall m: NODE do colour[m] = black -> colour[left[m]] = black & colour[right[m]] = black end)
      -> (forall m: NODE do accessible[m] -> colour[m] = black end);
    before := accessible;
    left[n] := k;
    havoc accessible where
      accessible[root]
      & accessible[k]
      & (forall m: NODE do accessible[m] -> before[m] end)
      & (forall m: NODE do accessible[m] -> accessible[left[m]] & accessible[right[m]] end);
    if colour[k] = white then
      colour[k] := gray;
    end;
  end;

  rule "direct right to"
    accessible[k]
  ==>
    var before: array [NODE] of boolean;
  begin
    assume "accessible is the smallest: where black nodes lead to black ones, accessible nodes are black"
      colour[root] = black
      & (forall m: NODE do colour[m] = black -> colour[left[m]] = black & colour[right[m]] = black end)
      -> (forall m: NODE do accessible[m] -> colour[m] = black end);
    before := accessible;
    right[n] := k;
    havoc accessible where
      accessible[root]
      & accessible[k]
      & (forall m: NODE do accessible[m] -> before[m] end)
      & (forall m: NODE do accessible[m] -> accessible[left[m]] & accessible[right[m]] end);
    if colour[k] = white then
      colour[k] := gray;
    end;
  end;

end;

invariant "accessible nodes are not freed"
  !failed;

predicate "an accessible node was freed" failed;
predicate "marking" phase = marks;
predicate "sweeping" phase = sweeps;
predicate "the root is not white" colour[root] != white;
predicate "no node to be passed is gray" forall n: NODE do !passed[n] -> colour[n] != gray end;
predicate "some node is gray" exists n: NODE do colour[n] = gray end;
predicate "left of black is not white" forall n: NODE do colour[n] = black -> colour[left[n]] != white end;
predicate "right of black is not white" forall n: NODE do colour[n] = black -> colour[right[n]] != white end;
predicate "accessible nodes not passed are not white"
  forall n: NODE do accessible[n] & !passed[n] -> colour[n] != white end;
predicate "no node passed is black" forall n: NODE do passed[n] -> colour[n] != black end;
predicate "no node is black" forall n: NODE do colour[n] != black end;
