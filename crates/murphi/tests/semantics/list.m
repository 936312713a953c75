-- by hand: ok, 21 states, 36 rules fired
-- Lists: a queue of at most two messages, taken from the front.

var q: list of 0..1; last: 0..1;
startstate begin q := []; undefine last; end;
ruleset v: 0..1 do
 rule length(q) < 2 ==> begin q := append(q, v); end;
end;
rule !empty(q) ==> begin last := head(q); q := tail(q); end;
