-- expect: safe   (explore: --size NODE=3 --deadlock off) (check: --ignore-predicates)
--
-- The collector of on-the-fly garbage collection, alone: any number of nodes in any graph.
--
-- Each node has two edges and a colour. The collector shades the root (makes it gray); then it looks for gray nodes,
-- shades where their edges lead, and makes them black. When it has gone through all nodes without finding a gray one,
-- it frees the white nodes, makes all others white, and starts again. Described in E. W. Dijkstra, L. Lamport, A.
-- Martin, C. Scholten, E. Steffens: On-the-fly garbage collection: an exercise in cooperation (CACM 21:11, 1978); in
-- this form in S. Das: Predicate abstraction (thesis, Stanford 2003), section 3.5.2, figure 3.4. gc-coarse.m and
-- gc-fine.m have a mutator that works at the same time.
--
-- What holds: no node is freed that can be reached from the root.
--
-- Where the thesis goes through the nodes by their numbers, ours goes through them in any order and knows which it has
-- passed. It also goes on for ever; the figure ends after one sweep. That a node is accessible is a relation with
-- axioms: the root is, and so is what an accessible node leads to. It is the smallest such relation, and the thesis
-- says so by an axiom for the set of black nodes. That one speaks about colours, so here it is the `assume` at the end
-- of marking, where alone it is needed (the thesis prints "left or right is black" in it, and must mean both). Larger
-- relations are not real; exploration gets stuck in them, so it does not ask for deadlocks.

const
  NODES: 3;

type
  NODE: scalarset(NODES);
  COLOUR: enum { white, gray, black };
  PHASE: enum { begins, marks, sweeps };

uninterpreted
  root: NODE;
  left(n: NODE): NODE;
  right(n: NODE): NODE;
  accessible(n: NODE): boolean;

axiom "the root is accessible" accessible(root);
axiom "edges lead to accessible nodes"
  forall n: NODE do accessible(n) -> accessible(left(n)) & accessible(right(n)) end;

var
  colour: array [NODE] of COLOUR;
  phase: PHASE;
  passed: array [NODE] of boolean;    -- found not gray since the last gray one; or swept
  failed: boolean;                    -- an accessible node was freed

startstate "init"
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
      colour[m] := m = n ? black : ((m = left(n) | m = right(n)) & colour[m] = white ? gray : colour[m]);
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
    failed := failed | accessible(n);
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
    & (forall n: NODE do colour[n] = black -> colour[left(n)] = black & colour[right(n)] = black end)
    -> (forall n: NODE do accessible(n) -> colour[n] = black end);
  for n: NODE do passed[n] := false; end;
  phase := sweeps;
end;

rule "end of sweeping"
  phase = sweeps & forall n: NODE do passed[n] end
==>
  phase := begins;
end;

invariant "accessible nodes are not freed"
  !failed;

predicate "an accessible node was freed" failed;
predicate "marking" phase = marks;
predicate "sweeping" phase = sweeps;
predicate "the root is not white" colour[root] != white;
predicate "no node passed is gray" forall n: NODE do passed[n] -> colour[n] != gray end;
predicate "left of black is not white" forall n: NODE do colour[n] = black -> colour[left(n)] != white end;
predicate "right of black is not white" forall n: NODE do colour[n] = black -> colour[right(n)] != white end;
predicate "accessible nodes not passed are not white"
  forall n: NODE do accessible(n) & !passed[n] -> colour[n] != white end;
predicate "no node passed is black" forall n: NODE do passed[n] -> colour[n] != black end;
predicate "no node is black" forall n: NODE do colour[n] != black end;
