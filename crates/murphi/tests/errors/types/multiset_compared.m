type Box: record bag: multiset [2] of boolean; end;
var a, b: multiset [2] of boolean; x, y: Box; c: boolean;
startstate undefine a; undefine b; c := false; end;
rule a = b ==> c := true; end;
rule x != y ==> c := true; end;
