var x: boolean;
procedure choose(var b: boolean); begin havoc b; end;
function some(): boolean; var b: boolean; begin choose(b); return b; end;
startstate x := some(); end;
rule some() ==> x := !x; end;
invariant "whatever" x | some();
