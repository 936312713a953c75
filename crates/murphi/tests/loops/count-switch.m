type P: scalarset(3);
var st: array [P] of enum {inv, sh, ex}; bad: boolean;
function ok(): boolean;
var e, s: integer;
begin
  e := 0; s := 0;
  for p: P do
    switch st[p] case inv: case sh: s := s + 1; case ex: e := e + 1; end;
  end;
  if e > 1 then return false;
  elsif e > 0 & s != 0 then return false; end;
  return true;
end;
startstate begin for p: P do st[p] := inv; end; bad := false; end;
ruleset p: P do
  rule "share" st[p] = inv & forall q: P do st[q] != ex end ==> begin st[p] := sh; end;
  rule "own" st[p] = inv & forall q: P do st[q] = inv end ==> begin st[p] := ex; end;
  rule "drop" st[p] != inv ==> begin st[p] := inv; end;
end;
rule "check" !ok() ==> begin bad := true; end;
invariant "coherent" ok();
invariant "good" !bad;
