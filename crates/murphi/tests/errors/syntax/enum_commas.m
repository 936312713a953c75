type colour: enum {red green; blue};
type shape: enum {round, square,};
type size: enum small, large;
var c: colour;
startstate begin c := red; end;
