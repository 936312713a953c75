var x: 0..3;
function double(n: 0..3): 0..6; begin return n + n; end;
startstate x := duble(1); end;
rule "call" true ==> begin nothing(x); end;
