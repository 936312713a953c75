-- expect: safe   (explore: --size REGISTER=2 --size WORD=2 --size OPERATION=1 --integers 0..2 --deadlock off) (check: --engine indexed, slow)
--
-- An out-of-order execution unit with a retirement buffer of any length.
--
-- Instructions `target := operation (left, right)` are issued in order. Each gets the next place in the buffer. An operand that
-- is not computed yet is a tag: the place of the instruction whose result it is. Instructions are executed as soon as both operands have
-- come, in any order, and retire in order: then the result goes to the target register, unless a later instruction has it as its target,
-- too. In a buffer without a bound no place is used twice, so that results can still be read there by those who wait for
-- them after the instruction has retired.
--
-- S. Lahiri, S. Seshia, R. Bryant: Modeling and verification of out-of-order microprocessors in UCLID (FMCAD 2002); one of the
-- applications of S. Lahiri, R. Bryant: Constructing quantified invariants via predicate abstraction (VMCAI 2004).
--
-- What holds: a register that waits for nothing has the value that it has in a machine that executes each instruction when it is
-- issued; and so have the results in the buffer. The values of that machine are called `meant`: they are for the properties only.

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
    if target.waits & target.tag = first then
      target.value := buffer[first].result;
      target.waits := false;
    end;
  end;
  first := first + 1;
end;

invariant "registers have the values that are meant"
  forall r: REGISTER do !register[r].waits -> register[r].value = register[r].meant end;

invariant "results are those that are meant"
  forall t: integer do 0 <= t & t < next & buffer[t].done -> buffer[t].result = buffer[t].meant end;

-- Predicates for any register `r` and any place `t` in the buffer.

index
  r: REGISTER;
  t: integer;

predicate "r waits" register[r].waits;
predicate "r is as meant" register[r].value = register[r].meant;
predicate "r waits for an instruction" 0 <= register[r].tag & register[r].tag < next;
predicate "r waits for what is meant" buffer[register[r].tag].meant = register[r].meant;
predicate "t was issued" 0 <= t & t < next;
predicate "t is done" buffer[t].done;
predicate "the result is as meant" buffer[t].result = buffer[t].meant;
predicate "meant is what the operation computes"
  buffer[t].meant = compute(buffer[t].operation, buffer[t].left_meant, buffer[t].right_meant);
predicate "left is here" buffer[t].left_here;
predicate "left is as meant" buffer[t].left = buffer[t].left_meant;
predicate "left waits for an earlier instruction" 0 <= buffer[t].left_tag & buffer[t].left_tag < t;
predicate "left waits for what is meant" buffer[buffer[t].left_tag].meant = buffer[t].left_meant;
predicate "right is here" buffer[t].right_here;
predicate "right is as meant" buffer[t].right = buffer[t].right_meant;
predicate "right waits for an earlier instruction" 0 <= buffer[t].right_tag & buffer[t].right_tag < t;
predicate "right waits for what is meant" buffer[buffer[t].right_tag].meant = buffer[t].right_meant;
predicate "nothing retires before it is issued" 0 <= first & first <= next;
