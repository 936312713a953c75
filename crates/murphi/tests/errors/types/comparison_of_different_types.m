type Colour: enum {red, green}; Fruit: enum {apple, pear}; Node: scalarset(3); Data: scalarset(2);
var x: 0..3; c: Colour; f: Fruit; n: Node; d: Data; a: array [Node] of boolean;
startstate x := 0; end;
rule "colour and fruit" c = f ==> begin x := 0; end;
rule "node and data" n != d ==> begin x := 0; end;
rule "node and number" n = 1 ==> begin x := 0; end;
rule "array and boolean" a = true ==> begin x := 0; end;
rule "colour and boolean" c = false ==> begin x := 0; end;
