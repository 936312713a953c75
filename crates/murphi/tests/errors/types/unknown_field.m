type Message: record kind: boolean; sender: 0..3; end;
var channel: Message;
startstate
  channel.kind := false;
  channel.sendr := 0;
  channel.weight := 1;
end;
