-- expect: unsafe   (explore: --size REGISTER=2 --size WORD=2 --size OPERATION=1 --integers 0..2 --deadlock off)
--
-- The execution unit of out-of-order.m, where a result goes to its register even if a later instruction has the same target: the register no
-- longer waits for that one, and has an old value.

const
  REGISTERS: 2;
  WORDS: 2;
  OPERATIONS: 1;

type
  REGISTER: scalarset(REGISTERS);
  WORD: scalarset(WORDS);
  OPERATION: scalarset(OPERATIONS);

uninterpreted
  compute(operation: OPERATION; left, right: WORD): WORD;

var
  register: array [REGISTER] of record
    waits: boolean;          -- for the result at the place `tag`
    tag: integer;
    value: WORD;
    meant: WORD;
  end;

  buffer: array [integer] of record
    target: REGISTER;
    operation: OPERATION;
    left_here, right_here: boolean;      -- if not, the operand is the result at the place of the tag
    left_tag, right_tag: integer;
    left, right: WORD;
    done: boolean;
    result: WORD;
    left_meant, right_meant, meant: WORD;
  end;
  -- Instructions from `first` to before `next` have not retired.
  first, next: integer;

startstate "empty"
  for r: REGISTER do
    register[r].waits := false;
    havoc register[r].value;
    register[r].meant := register[r].value;
  end;
  first := 0;
  next := 0;
end;

ruleset operation: OPERATION; target: REGISTER; left: REGISTER; right: REGISTER do
  rule "issue"
    true
  ==>
    alias new: buffer[next]; a: register[left]; b: register[right] do
      new.target := target;
      new.operation := operation;
      new.done := false;

      if !a.waits then
        new.left_here := true;
        new.left := a.value;
      elsif buffer[a.tag].done then
        new.left_here := true;
        new.left := buffer[a.tag].result;
      else
        new.left_here := false;
        new.left_tag := a.tag;
      end;

      if !b.waits then
        new.right_here := true;
        new.right := b.value;
      elsif buffer[b.tag].done then
        new.right_here := true;
        new.right := buffer[b.tag].result;
      else
        new.right_here := false;
        new.right_tag := b.tag;
      end;

      new.left_meant := a.meant;
      new.right_meant := b.meant;
      new.meant := compute(operation, a.meant, b.meant);
    end;
    register[target].waits := true;
    register[target].tag := next;
    register[target].meant := buffer[next].meant;
    next := next + 1;
  end;
end;

ruleset t: integer do
  alias instruction: buffer[t] do

    rule "the left operand comes"
      first <= t & t < next & !instruction.left_here & buffer[instruction.left_tag].done
    ==>
      instruction.left := buffer[instruction.left_tag].result;
      instruction.left_here := true;
    end;

    rule "the right operand comes"
      first <= t & t < next & !instruction.right_here & buffer[instruction.right_tag].done
    ==>
      instruction.right := buffer[instruction.right_tag].result;
      instruction.right_here := true;
    end;

    rule "execute"
      first <= t & t < next & !instruction.done & instruction.left_here & instruction.right_here
    ==>
      instruction.result := compute(instruction.operation, instruction.left, instruction.right);
      instruction.done := true;
    end;

  end;
end;

rule "retire"
  first < next & buffer[first].done
==>
  alias target: register[buffer[first].target] do
    -- the bug: `if target.waits & target.tag = first then ... end` is missing
    target.value := buffer[first].result;
    target.waits := false;
  end;
  first := first + 1;
end;

invariant "registers have the values that are meant"
  forall r: REGISTER do !register[r].waits -> register[r].value = register[r].meant end;

invariant "results are those that are meant"
  forall t: integer do 0 <= t & t < next & buffer[t].done -> buffer[t].result = buffer[t].meant end;
