-- rumur: ok, 1 states, 1 rules fired
-- `clear` gives a scalarset its first element.

type S: scalarset(3);
var s: S;
startstate begin clear s; end;
ruleset i: S do
 rule s = i ==> begin end;
end;
