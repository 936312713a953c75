-- Every construct of the Murphi language, in a model small enough to explore.
-- Between `--[ rumur` and `--]` stands what Rumur accepts and CMurphi does not; `--[ cmurphi` the other way round.
/* Both styles of comment,
   the second over several lines: "no text", -- no comment. */

CONST -- keywords in any case
  ProcessCount: 2;
  DataMax: 0002;         -- decimal, whatever the zeros
  Limit: DataMax / 3 * 2 - -1 + 5 % 4;
  Enabled: True & !FALSE;
--[ rumur
  first, second: 0x1F    -- two names at once, hexadecimal, no semicolon
  mask: 6 & 3 | 8 ^ 1 << 2 >> 1 & ~0;
--]

Type
  process: scalarset(ProcessCount);
  address: Scalarset (2);
  data: 0..DataMax;
  offset: -Limit .. Limit;
  small: 0..1;
  colour: enum {red, green, blue};
  flag: Boolean;
  message: record
    kind: enum {request, reply};
    source, target: process;
    payload: data;
  end;
  matrix: array [small] of array [boolean] of colour;
--[ cmurphi
  place: union {process, colour};
  bag: multiset [2] of message;
--]

var
  owner: process;
  paint: colour;
  store: array [process] of record
    value: data;
    valid: flag;
  endrecord;
  table: matrix;
  count, spare: data;
  shift: offset;
  last: message;
  ready: array [process] of boolean;
--[ cmurphi
  position: place;
  net: bag;
--]

-- Functions and procedures.

function larger(left, right: data): data;
begin
  if left > right then
    return left;
  else
    return right;
  endif;
endfunction;

function total(limit: data): data;
var sum: data;
begin
  sum := 0;
  for i := 0 to limit by 1 do
    sum := sum + i <= DataMax ? sum + i : DataMax;
  end;
  return sum;
end;

function ignored(p: process): boolean; -- no `begin`
  return isundefined(store[p].value);
end;

procedure swap(var a: data; var b: data);
  const zero: 0;
  type local: data;
  var old: local;
begin
  old := a;
  a := b + zero;
  b := old;
endprocedure;

procedure nothing();
begin
end;

procedure set_all(value: data; p: process);
begin
  if isundefined(value) then
    clear store[p];
  else
    store[p].value := value;
  end;
  store[p].valid := !isundefined(value);
end;

-- Startstates.

ruleset c: small do
  startstate "coloured"
    for p: process do
      clear store[p];
      ready[p] := false;
    endfor;
    for i: small do for b: boolean do table[i][b] := red; end; end;
    count := 0;
    spare := 0;
    shift := 0;
    undefine last;
    switch c case 0: paint := red; case 1: paint := green; end;
    undefine owner;
--[ cmurphi
    position := paint;
    undefine net;
--]
  endstartstate;
endruleset;

-- Rules.

ruleset p: process; c: colour do -- blue is never reached

  rule "take"
    isundefined(owner) & paint = c & ! store[p].valid
  ==>
    var previous: colour;
  begin
    previous := c;
    assert previous = c "the colour was kept";
    owner := p;
    store[p].value := larger(count, 1);
    store[p].valid := true;
  endrule;

  alias
    mine: store[p];
    next: (count + 1) % (DataMax + 1);
  do
    rule "give"
      !isundefined(owner) & owner = p & mine.valid
    ==>
    begin
      undefine owner;
      if c != blue then paint := c end;
      count := next;
      alias v: mine.value do
        v := next;
      endalias;
      mine.valid := false;
    end;

    invariant "values stay in range" mine.valid -> mine.value <= DataMax & mine.value >= 0;
  endalias;
end;

rule "compute"
  count < 1 | (exists p: process do store[p].valid end -> count != spare)
==>
var
  i: data;
  any: boolean;
begin
  i := 0;
  while i < 2 do
    i := i + 1;
  endwhile;
  switch i
    case 0, 1:
      error "the loop ended too early";
    case 2:
      swap(count, spare);
    else
      assert false;
  endswitch;
  any := forall p: process do exists b: boolean do b = store[p].valid endexists endforall;
  if any then
    nothing();
  elsif count = 0 then
    shift := -1;
  elsif count > 1 then
    shift := +1;
  else
    put "other: ";
    put count;
  end;
  if count > 1 then
    count := 0;
    return;
  end;
  count := total(count);
end;

ruleset i: small; q: process do
  rule "message"
    isundefined(last.kind)
  ==>
  begin
    last.kind := request;
    last.source := q;
    last.target := q;
    last.payload := i;
    table[1][true] := green;
    if i = 1 then ready[q] := true; end;
  end
end;

rule "clean up"
  !isundefined(last.kind) & last.kind = request
==>
begin
  undefine last;
  spare := 0;
end;

rule "always"
begin
  for i := 1 to 0 by -1 do
    shift := i - 1;
  end;
end;

--[ cmurphi
ruleset q: process do
  rule "send"
    multisetcount(m: net, true) = 0 & !isundefined(last.kind)
  ==>
    var m: message;
  begin
    m := last;
    multisetadd(m, net);
  end;
end;

ruleset p: process do
  rule "move"
    ismember(position, colour) & position = red & count = 0
  ==>
  begin
    position := p;
  end;

  rule "move back"
    ismember(position, process) & position = p
  ==>
  begin
    position := paint;
  end;
end;

choose m: net do
  rule "receive"
    net[m].kind = request & (isundefined(owner) | owner != net[m].target)
  ==>
  begin
    set_all(undefined, net[m].target);
    multisetremove(m, net);
  end;
endchoose;

rule "lose"
  multisetcount(m: net, net[m].kind = reply) > 0
==>
begin
  multisetremovepred(m: net, net[m].kind = reply);
  spare := undefined;
  spare := 0;
end;

ruleset i := 0 to 2 by 2 do -- Rumur grants this too, but crashes on it
  rule "range" count = i ==> count := i + 1; end;
end;

ruleset p: process : -- a colon for `do`, several binders
  rule "colons"
    forall i: small; b: boolean : table[i][b] = red end & ready[p]
  ==>
    for i: small; b: boolean : table[i][b] := blue; end;
    while count > 1 : count := count - 1; end;
  end;
end;
--]

--[ rumur
function ready_for_more(): boolean begin return count < DataMax endfunction
function same(n: data): data return n; endprocedure

rule "rumur's statements" count < 2 ==> begin
  spare := 0;
  same(1,);
  assume "small" spare <= 1;
  assume spare == 0;
  invariant spare = 0 && true || false "fine";
  cover "here" spare = 0;
end

assume "never so far" count > 1 -> shift < Limit
assert "as an invariant" shift <= Limit;
invariant spare <= DataMax "name at the end";
ruleset p: process do
  cover "valid" store[p].valid;
  assume ready[p] | !ready[p];
end
cover "one" count = 1;
--]

invariant "the owner has a value"
  !isundefined(owner) -> forall p: process do owner = p -> store[p].valid end;

invariant Enabled;

--[ rumur
-- Rumur reads on to the last quote of the file from here.
rule “unicode” ∀ i: small do table[i][true] ≠ blue end ∧ ¬ready_for_more() ∨ count ≤ 1 ⇒ begin
  spare ≔ 0;
  shift := (count << 1) >> 1 & 0;
end
--]
