type Node: scalarset(3);
var bag: multiset [3] of Node; other: multiset [2] of Node; n: Node; count: 0..3;
startstate
  undefine bag; undefine other; count := 0;
  multisetadd(count, bag);
  multisetadd(n, n);
  multisetremove(count, bag);
  count := multisetcount(i: bag, count);
  count := multisetcount(i: n, true);
  multisetremovepred(i: bag, other[i] = n);
end;
choose i: bag do
  rule "number" true ==> begin count := i; end;
  rule "element" bag[i] = count ==> begin multisetremove(i, other); end;
  rule "index" bag[count] = n ==> begin multisetremove(i, bag); end;
end;
choose i: n do
  rule "not a multiset" true ==> begin count := 0; end;
end;
