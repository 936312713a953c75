type Colour: enum {red, green};
     T: red..green;
     S: scalarset(true);
     M: multiset [green] of boolean;
var x: T;
startstate undefine x; end;
