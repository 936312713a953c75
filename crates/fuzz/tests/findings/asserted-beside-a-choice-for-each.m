-- safe; what a rule asserts mentioned the values that it makes undefined, one for each element: the proof could not be certified, and was lost
type
  NODE: scalarset(2);
  SMALL: -2..2;
var
  numbers: array [NODE] of SMALL;
  queue: list of SMALL;
  last: SMALL;
startstate
  undefine numbers;
  queue := [];
  last := 0;
end;
rule "put in" length(queue) < 2 ==> queue := append(queue, last); end;
rule "take out"
  !empty(queue)
==>
  last := head(queue);
  queue := tail(queue);
  undefine numbers;
end;
invariant "nothing" true;
