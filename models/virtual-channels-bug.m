-- expect: unsafe
--
-- The virtual channels of virtual-channels.m, where the home recalls the block once for each request.

const
  NODES: 3;
  VC_REQUEST: 0;
  VC_FORWARD: 1;
  VC_RESPONSE: 2;

type
  NODE: scalarset(NODES);
  VC: 0..2;
  MESSAGE: enum { none, get, recall, give, give_up };
  STATE: enum { invalid, asking, owner };

var
  node: array [NODE] of STATE;
  to_home: array [NODE] of array [VC] of MESSAGE;
  to_node: array [NODE] of array [VC] of MESSAGE;
  home_has_it: boolean;
  recalling: boolean;
  holder: NODE;               -- where the home does not have it

procedure send_to_home(n: NODE; channel: VC; message: MESSAGE);
begin
  assert "the channel to the home is free" to_home[n][channel] = none;
  to_home[n][channel] := message;
end;

procedure send_to_node(n: NODE; channel: VC; message: MESSAGE);
begin
  assert "the channel to the node is free" to_node[n][channel] = none;
  to_node[n][channel] := message;
end;

startstate "init"
  for n: NODE do
    node[n] := invalid;
    for channel: VC do
      to_home[n][channel] := none;
      to_node[n][channel] := none;
    end;
  end;
  home_has_it := true;
  recalling := false;
  undefine holder;
end;

ruleset n: NODE do

  rule "ask"
    node[n] = invalid
  ==>
    node[n] := asking;
    send_to_home(n, VC_REQUEST, get);
  end;

  rule "home gives"
    to_home[n][VC_REQUEST] = get & home_has_it
  ==>
    to_home[n][VC_REQUEST] := none;
    home_has_it := false;
    holder := n;
    send_to_node(n, VC_RESPONSE, give);
  end;

  rule "home recalls"
    to_home[n][VC_REQUEST] = get & !home_has_it    -- the bug: `& !recalling` is missing
  ==>
    recalling := true;
    send_to_node(holder, VC_FORWARD, recall);
  end;

  rule "receive the block"
    to_node[n][VC_RESPONSE] = give
  ==>
    to_node[n][VC_RESPONSE] := none;
    node[n] := owner;
  end;

  rule "give it up"
    to_node[n][VC_FORWARD] = recall & node[n] = owner
  ==>
    to_node[n][VC_FORWARD] := none;
    node[n] := invalid;
    send_to_home(n, VC_RESPONSE, give_up);
  end;

  rule "home gets it back"
    to_home[n][VC_RESPONSE] = give_up
  ==>
    to_home[n][VC_RESPONSE] := none;
    home_has_it := true;
    recalling := false;
  end;

end;

invariant "one owner"
  forall n: NODE; m: NODE do
    n != m & node[n] = owner -> node[m] != owner
  end;

invariant "classes of messages"
  forall n: NODE do
    (to_home[n][VC_REQUEST] = none | to_home[n][VC_REQUEST] = get)
    & (to_home[n][VC_RESPONSE] = none | to_home[n][VC_RESPONSE] = give_up)
    & (to_node[n][VC_FORWARD] = none | to_node[n][VC_FORWARD] = recall)
    & (to_node[n][VC_RESPONSE] = none | to_node[n][VC_RESPONSE] = give)
    & to_home[n][VC_FORWARD] = none & to_node[n][VC_REQUEST] = none
  end;
