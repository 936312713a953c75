-- safe; in proofs an undefined value of a union could not be copied to a narrower type of numbers
type
  NODE: scalarset(2);
  ANY: union { NODE, 0..9 };
var
  any: ANY;
  wide: 0..9;
  narrow: 0..3;
  flag: boolean;
startstate
  undefine any;
  undefine wide;
  undefine narrow;
  flag := false;
end;
rule "toggle" flag := !flag; end;
rule "from the union" narrow := any; end;
rule "either" narrow := flag ? wide : any; end;
invariant "nothing" true;
