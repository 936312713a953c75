type Node: scalarset(3);
var holder: Noed;
    other: array [Noed] of boolean;
startstate undefine holder; end;
