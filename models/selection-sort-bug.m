-- expect: unsafe   (explore: --integers 0..3 --deadlock off)
--
-- The selection sort of selection-sort.m, where a round leaves one element out.

type
  PHASE: enum { outer, inner };

var
  a: array [integer] of integer;
  length, i, j, least: integer;
  phase: PHASE;

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
  j := i + 2;             -- the bug: one element is not looked at
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
