-- safe; in proofs an undefined number could not be copied to a narrower type
type
  NODE: scalarset(2);
  ANY: union { NODE, enum { other } };
var
  wide: 0..9;
  narrow: 0..3;
startstate
  undefine wide;
  undefine narrow;
end;
rule "copy" narrow := wide; end;
invariant "nothing" true;
