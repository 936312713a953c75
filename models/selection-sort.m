-- expect: safe   (explore: --integers 0..2 --deadlock off) (check: --engine indexed, slow)
--
-- Selection sort of an array of any length.
--
-- The part below `i` is sorted, and not larger than what follows. A round looks for a least element of the rest, at `least`, by
-- going through it with `j`, and exchanges it with the first. One of the applications of S. Lahiri, R. Bryant: Constructing
-- quantified invariants via predicate abstraction (VMCAI 2004).
--
-- What holds: in the end the array is sorted. The predicates speak of any two places `x` and `y` in it.

type
  PHASE: enum { outer, inner };

var
  a: array [integer] of integer;
  length, i, j, least: integer;
  phase: PHASE;

index
  x, y: integer;

predicate "a round is going on" phase = inner;
predicate "x is in the sorted part" 0 <= x & x < i;
predicate "y is behind x" x <= y;
predicate "y is in the array" y < length;
predicate "y was looked at" i <= y & y < j;
predicate "in order" a[x] <= a[y];
predicate "least so far" a[least] <= a[y];
predicate "x is not larger than the least" a[x] <= a[least];
predicate "the least is in the rest" i <= least & least < length;
predicate "j is behind i" i < j;
predicate "j is in the array" j <= length;

startstate "any array"
  havoc a;
  havoc length where length >= 0;
  i := 0;
  j := 0;
  least := 0;
  phase := outer;
end;

rule "begin a round"
  phase = outer & i < length
==>
  least := i;
  j := i + 1;
  phase := inner;
end;

rule "a smaller one"
  phase = inner & j < length & a[j] < a[least]
==>
  least := j;
  j := j + 1;
end;

rule "not smaller"
  phase = inner & j < length & a[j] >= a[least]
==>
  j := j + 1;
end;

rule "exchange"
  phase = inner & j >= length
==>
  var first: integer;
  begin
    first := a[i];
    a[i] := a[least];
    a[least] := first;
    i := i + 1;
    phase := outer;
  end;

invariant "sorted in the end"
  phase = outer & i >= length ->
    forall u: integer; v: integer do 0 <= u & u <= v & v < length -> a[u] <= a[v] end;
