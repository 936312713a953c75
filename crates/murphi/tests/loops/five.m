-- Something that five elements only can do.
type P: scalarset(5);
var a: array [P] of 0..4; n: integer; bad: boolean;
procedure Next(v: 0..4);
begin
  for p: P do if a[p] = 0 then a[p] := v; return; end; end;
end;
startstate begin for p: P do a[p] := 0; end; n := 0; bad := false; end;
rule "one" !(exists p: P do a[p] = 1 end) ==> begin Next(1); end;
rule "two" exists p: P do a[p] = 1 end & !(exists p: P do a[p] = 2 end) ==> begin Next(2); end;
rule "three" exists p: P do a[p] = 2 end & !(exists p: P do a[p] = 3 end) ==> begin Next(3); end;
rule "four" exists p: P do a[p] = 3 end & !(exists p: P do a[p] = 4 end) ==> begin Next(4); end;
rule "count" begin n := 0; for p: P do if a[p] != 0 then n := n + 1; end; end; end;
rule "bad" n = 4 & exists p: P do a[p] = 0 end ==> begin bad := true; end;
invariant "good" !bad;
