var x: 0..3; b: boolean;
procedure p(n: 0..3; var m: 0..3); begin m := 1; end;
startstate
  p(undefined, x);
  p(1, undefined);
end;
rule "compare" x = undefined ==> begin x := undefined; end;
