type Message: record kind: boolean; sender, kind: 0..3; end;
var m: Message;
startstate clear m; end;
invariant "kind" !m.kind;
