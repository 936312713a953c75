-- expect: unsafe
--
-- The pager of page-frames.m, which evicts whatever page it sees first.

const
  PAGES: 3;
  FRAMES: 2;

type
  PAGE: scalarset(PAGES);
  FRAME: scalarset(FRAMES);

var
  used: array [FRAME] of boolean;
  content: array [FRAME] of PAGE;         -- where it is used
  pinned: array [PAGE] of boolean;

function is_present(page: PAGE): boolean;
begin
  for f: FRAME do
    if used[f] & content[f] = page then
      return true;
    end;
  end;
  return false;
end;

procedure bring_in(page: PAGE);
begin
  for f: FRAME do
    if !used[f] then
      used[f] := true;
      content[f] := page;
      return;
    end;
  end;
  for f: FRAME do
    content[f] := page;    -- the bug: it is not asked whether the page is pinned
    return;
  end;
end;

startstate "init"
  for f: FRAME do
    used[f] := false;
    undefine content[f];
  end;
  for p: PAGE do pinned[p] := false; end;
end;

ruleset p: PAGE do

  rule "page fault"
    !is_present(p)
  ==>
    bring_in(p);
  end;

  rule "pin"
    is_present(p) & !pinned[p]
  ==>
    pinned[p] := true;
  end;

  rule "unpin"
    pinned[p]
  ==>
    pinned[p] := false;
  end;

end;

ruleset f: FRAME do
  rule "page out"
    used[f] & !pinned[content[f]]
  ==>
    used[f] := false;
    undefine content[f];
  end;
end;

invariant "a page is in one frame"
  forall f: FRAME; g: FRAME do
    f != g & used[f] & used[g] -> content[f] != content[g]
  end;

invariant "pinned pages stay"
  forall p: PAGE do
    pinned[p] -> exists f: FRAME do used[f] & content[f] = p end
  end;
