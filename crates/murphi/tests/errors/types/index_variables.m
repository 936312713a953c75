type Node: scalarset(3);
var a: array [Node] of boolean;
index i, j: Node;
index p: array [Node] of boolean;
predicate "fine" a[i] -> a[j];
predicate "number" i;
predicate i = 1;
startstate undefine a; end;
rule "outside" a[i] ==> begin a[j] := true; end;
