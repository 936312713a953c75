type Node: scalarset(2); Home: scalarset(1); Data: scalarset(2);
     Any: union {Node, Home};
var x: Any; n: Node; b: boolean;
startstate b := ismember(x, Data); end;
rule "not a union" ismember(n, Node) & !ismember(n, Data) ==> begin b := true; end;
rule "wrong" ismember(b + 1, Node) ==> begin b := true; end;
