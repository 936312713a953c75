var x, y: 0..7; b: boolean;
startstate begin x := 0; y := 0; b := false; end;
uninterpreted next(n boolean): boolean; leader boolean;
axiom ;
axiom "a" next(b) = ;
index i boolean;
predicate "p" x = ;
rule "r" begin
  havoc x where ;
  havoc x, ;
  havoc x wher x < y;
end;
type l: list boolean;
