type P: scalarset(3); K: enum {none, inv, ack};
 M: record k: K; src: P; dst: P; end;
var net: array [P] of M; sh: array [P] of boolean; home: P; last: P; cnt: array [P] of 0..2;
    q: array [P] of array [0..1] of K;
procedure Send(var m: M);
begin net[m.dst] := m; end;
procedure Push(k: K; p: P);
begin if cnt[p] < 2 then q[p][cnt[p]] := k; cnt[p] := cnt[p] + 1; end; end;
procedure Cast(var m: M);
begin for p: P do if p != m.src & sh[p] then m.dst := p; Send(m); end; end; end;
startstate begin for p: P do net[p].k := none; net[p].src := p; net[p].dst := p; end; clear sh; clear home; clear last; clear cnt; 
  for p: P do for i: 0..1 do q[p][i] := none; end; end; end;
ruleset p: P do
 rule "share" !sh[p] ==> begin sh[p] := true; end;
 rule "inv" sh[p] ==> var m: M; begin m.k := inv; m.src := p; m.dst := p; Cast(m); last := m.dst; end;
 rule "temp" sh[p] ==> var m: M; begin
   for r: P do if sh[r] then m.k := ack; m.src := p; m.dst := r; Send(m); sh[r] := false; end; end; end;
 rule "push" sh[p] ==> begin for r: P do Push(inv, r); end; end;
 rule "pop" cnt[p] > 0 ==> begin cnt[p] := cnt[p] - 1; end;
 rule "home" begin for r: P do for s: P do if sh[r] & r != s then home := r; net[s].k := ack; end; end; end; end;
end;
invariant "dst" forall p: P do net[p].dst = p end;
