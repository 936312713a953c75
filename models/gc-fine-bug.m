-- expect: unsafe   (explore: --size NODE=2 --deadlock off)
--
-- The garbage collection of gc-fine.m, where the collector does not follow the right edges. (A mutator that does not
-- shade is found with three nodes, in half a minute.)

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
  shades: boolean;                    -- the mutator has directed an edge to `target` and shades it next
  target: NODE;
  leads: array [NODE] of boolean;     -- from here there is a way through white nodes to the target, which is white
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
  shades := false;
  havoc target;
  for n: NODE do leads[n] := false; end;
  failed := false;
end;

rule "shade the root"
  phase = begins
==>
  colour[root] := gray;
  havoc leads where    -- fact (1)
    shades & accessible[target] & colour[target] = white
    & (forall n: NODE do colour[n] = black -> colour[left[n]] != white & colour[right[n]] != white end)
    ? (exists n: NODE do colour[n] = gray & leads[n] end)
    : (forall n: NODE do !leads[n] end);
  for n: NODE do passed[n] := false; end;
  phase := marks;
end;

ruleset n: NODE do

  rule "mark a gray node"
    phase = marks & !passed[n] & colour[n] = gray
  ==>
    var led, shaded: array [NODE] of boolean;
  begin
    for m: NODE do
      led[m] := leads[m];
      shaded[m] := m != n & m = left[n] & colour[m] = white;    -- the bug: `right[n]` is left out
    end;
    for m: NODE do
      colour[m] := m = n ? black : (shaded[m] ? gray : colour[m]);
      passed[m] := false;
    end;
    havoc leads where    -- fact (2)
      colour[target] = white
      ? !leads[n] & (forall m: NODE do led[m] -> m != n & leads[m] | (exists k: NODE do shaded[k] & leads[k] end) end)
      : (forall m: NODE do !leads[m] end);
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
    !shades & accessible[k]
  ==>
    var
      before: array [NODE] of boolean;
      sound: boolean;    -- the root is not white, and no black node leads to a white one
  begin
    before := accessible;
    sound := colour[root] != white
      & forall m: NODE do colour[m] = black -> colour[left[m]] != white & colour[right[m]] != white end;
    left[n] := k;
    target := k;
    shades := true;
    havoc accessible where
      accessible[root]
      & accessible[k]
      & (forall m: NODE do accessible[m] -> before[m] end)
      & (forall m: NODE do accessible[m] -> accessible[left[m]] & accessible[right[m]] end);
    havoc leads where    -- fact (1)
      sound & colour[k] = white
      ? (exists m: NODE do colour[m] = gray & leads[m] end)
      : (forall m: NODE do !leads[m] end);
  end;

  rule "direct right to"
    !shades & accessible[k]
  ==>
    var
      before: array [NODE] of boolean;
      sound: boolean;    -- the root is not white, and no black node leads to a white one
  begin
    before := accessible;
    sound := colour[root] != white
      & forall m: NODE do colour[m] = black -> colour[left[m]] != white & colour[right[m]] != white end;
    right[n] := k;
    target := k;
    shades := true;
    havoc accessible where
      accessible[root]
      & accessible[k]
      & (forall m: NODE do accessible[m] -> before[m] end)
      & (forall m: NODE do accessible[m] -> accessible[left[m]] & accessible[right[m]] end);
    havoc leads where    -- fact (1)
      sound & colour[k] = white
      ? (exists m: NODE do colour[m] = gray & leads[m] end)
      : (forall m: NODE do !leads[m] end);
  end;

end;

rule "shade the target"
  shades
==>
  if colour[target] = white then
    colour[target] := gray;
  end;
  shades := false;
  for n: NODE do leads[n] := false; end;
end;

invariant "accessible nodes are not freed"
  !failed;

predicate "an accessible node was freed" failed;
predicate "marking" phase = marks;
predicate "sweeping" phase = sweeps;
predicate "the root is not white" colour[root] != white;
predicate "no node to be passed is gray" forall n: NODE do !passed[n] -> colour[n] != gray end;
predicate "some node is gray" exists n: NODE do colour[n] = gray end;
predicate "left of black is not white, or the target"
  forall n: NODE do colour[n] = black -> colour[left[n]] != white | shades & target = left[n] end;
predicate "right of black is not white, or the target"
  forall n: NODE do colour[n] = black -> colour[right[n]] != white | shades & target = right[n] end;
predicate "the target is accessible" accessible[target];
predicate "the target is not white" colour[target] != white;
predicate "the mutator shades next" shades;
predicate "some gray node leads to the target" exists n: NODE do colour[n] = gray & leads[n] end;
predicate "accessible nodes not passed are not white"
  forall n: NODE do accessible[n] & !passed[n] -> colour[n] != white end;
predicate "no node passed is black" forall n: NODE do passed[n] -> colour[n] != black end;
predicate "no node is black" forall n: NODE do colour[n] != black end;
