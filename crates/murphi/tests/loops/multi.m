type P: scalarset(3); K: enum {inv, ack};
var net: array [P] of multiset [2] of K; sh: array [P] of boolean;
startstate begin for p: P do undefine net[p]; sh[p] := false; end; end;
ruleset p: P do
 rule "share" !sh[p] ==> begin sh[p] := true; end;
 rule "cast" MultisetCount(i: net[p], true) = 0 ==> begin for r: P do if sh[r] & MultisetCount(i: net[r], true) < 2 then MultisetAdd(inv, net[r]); end; end; end;
 choose i: net[p] do rule "take" true ==> begin sh[p] := false; MultisetRemove(i, net[p]); end; end;
end;
invariant "ok" forall p: P do MultisetCount(i: net[p], true) < 3 end;
