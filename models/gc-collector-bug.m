-- expect: unsafe   (explore: --size NODE=2 --deadlock off)
--
-- The collector of gc-collector.m, which does not follow the right edges.

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
      -- the bug: this should shade `right(n)`, too
      colour[m] := m = n ? black : (m = left(n) & colour[m] = white ? gray : colour[m]);
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
