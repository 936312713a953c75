-- expect: safe   (explore: --size NODE=2 --deadlock off) (check: --engine approximate --no-discovery, slow)
--
-- On-the-fly garbage collection with a fine-grained mutator: any number of nodes.
--
-- The collector is that of gc-collector.m. At the same time the user's program, the mutator, directs an edge of any
-- node to any accessible node, and shades that node in a second step. Described in E. W. Dijkstra, L. Lamport, A.
-- Martin, C. Scholten, E. Steffens: On-the-fly garbage collection: an exercise in cooperation (CACM 21:11, 1978); in
-- this form in S. Das: Predicate abstraction (thesis, Stanford 2003), section 3.5.2, figures 3.3 and 3.4.
--
-- What holds: no node is freed that can be reached from the root.
--
-- Accessibility is as in gc-coarse.m. Between its two steps the mutator may have made an edge from a black to a white
-- node, its target. Then there is still a way to the target from a gray node through white nodes, which the thesis
-- calls reachable_white; `leads` are nodes at the beginning of such ways. What is known about them are facts about
-- graphs: (1) if the root is not white and no black node leads to a white one, then a gray node leads to each white
-- accessible node, also after an edge was directed to the latter (axiom 3.5 of the thesis, for the target); (2) when a
-- gray node is marked, and the target stays white, a way to it from another node either is still there or now begins at
-- one of the nodes shaded, and a way from the node that was marked begins at one of these.

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
      shaded[m] := m != n & (m = left[n] | m = right[n]) & colour[m] = white;
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
