-- safe; nothing said of a record that a list hands out that its numbers are in their ranges: cvc5 refuted that they are, and the proof was lost
type
  SMALL: -2..2;
  PAIR: record flag: boolean; count: SMALL; end;
  LIST: list of PAIR;
var
  a: PAIR;
  b: SMALL;
  l: LIST;
startstate a.flag := false; a.count := 0; b := 0; l := []; end;
rule "r0" true ==> begin a := (empty(l) ? a : head(l)); end;
rule "r1" length(l) < 2 ==> begin l := append(l, a); end;
rule "r2" !empty(l) ==> begin a := head(l); end;
invariant "p" true;
