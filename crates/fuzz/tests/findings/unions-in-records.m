-- safe; in proofs records of unions were compared also by the payloads that do not count
type
  NODE: scalarset(2);
  ANY: union { NODE, enum { other } };
  PAIR: record who: ANY; flag: boolean; end;
var
  r, s: PAIR;
startstate
  havoc r where r.who = other;
  havoc s where s.who = other & s.flag = r.flag;
end;
invariant "equal" r = s;
