type Node: scalarset(2);
     Twice: union {Node, enum {none}, Node};
     Wrong: union {Node, boolean, array [Node] of Node};
     Ranges: union {0..1, 5..6};
var x: Twice;
startstate undefine x; end;
