-- unsafe; elements of multisets with undefined parts
type
  NODE: scalarset(2);
  MESSAGE: record dest: NODE; kind: enum { request, reply }; end;
var
  net: multiset [2] of MESSAGE;
  bad: boolean;
startstate
  undefine net;
  bad := false;
end;
rule "send" multisetcount(i: net, true) = 0 ==>
  var m: MESSAGE;
begin
  m.kind := request;
  multisetadd(m, net);
end;
choose i: net do
  rule "receive" forall n: NODE do net[i].dest != n end ==> bad := true; end;
end;
invariant "never" !bad;
