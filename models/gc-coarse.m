-- expect: safe   (explore: --size NODE=2 --deadlock off) (check: --engine approximate --no-discovery, slow)
--
-- On-the-fly garbage collection with a coarse-grained mutator: any number of nodes.
--
-- The collector is that of gc-collector.m. At the same time the user's program, the mutator, directs an edge of any
-- node to any accessible node, which it shades in the same step. Described in E. W. Dijkstra, L. Lamport, A. Martin, C.
-- Scholten, E. Steffens: On-the-fly garbage collection: an exercise in cooperation (CACM 21:11, 1978); in this form in
-- S. Das: Predicate abstraction (thesis, Stanford 2003), section 3.5.2, figures 3.3 and 3.4, with the mutator in one
-- step.
--
-- What holds: no node is freed that can be reached from the root.
--
-- Which nodes are accessible depends on the edges, so it changes with them, to any relation that has the properties of
-- accessibility: the root is accessible, so is what an accessible node leads to, an edge to an accessible node makes no
-- other node accessible (axioms 3.3 and 3.4 of the thesis), and that node stays so. That accessibility is the smallest
-- relation of this kind is assumed where it is needed, for the set of black nodes, as in gc-collector.m. Larger
-- relations are not real; exploration may get stuck in them, so it does not ask for deadlocks.

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
  colour[root] := gray;
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
