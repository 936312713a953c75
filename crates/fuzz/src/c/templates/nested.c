$!T=(#int)
struct point$@ { $T x; $(short|long|unsigned char) y; };
struct box$@ { struct point$@ from, to[2]; $(int|char) tag; struct { int a; struct { $T b; } in[2]; } deep; };
static struct box$@ made$@($T x, int tag) {
  struct box$@ b = { .from = { x, tag }, .to = { [1] = { .y = 3, .x = x } }, tag, { .in[1].b = $[0,9], .a = -tag } };
  return b;
}
static struct point$@ swapped$@(struct point$@ p) { return (struct point$@){ ($T)p.y, p.x }; }
static int equal$@(struct box$@ a, struct box$@ b) {
  return a.from.x == b.from.x && a.from.y == b.from.y && a.to[0].x == b.to[0].x && a.tag == b.tag && a.deep.a == b.deep.a;
}
static struct box$@ *kept$@(struct box$@ *p) { p->tag++; return p; }
static void gadget$@(void) {
  struct box$@ a = made$@($[0,1], $[0,100]), b, all[3] = { [0 ... 1] = made$@(1, 2), [2].to[0].y = $[0,9] };
  b = a; b.to[0] = swapped$@(b.from); b.to[1] = b.to[0];
  all[$[0,2]] = b; all[2].deep.in[0] = all[1].deep.in[1];
  show("x", (long long)made$@(1, 7).to[1].x); show("y", made$@(1, $[0,200]).from.y); show("b", (long long)made$@(0, 1).deep.in[1].b);
  show("equal", equal$@(a, b) + 2 * equal$@(a, a)); show("kept", kept$@(&all[1])->tag + (*kept$@(&b)).tag);
  show("swap", swapped$@(swapped$@(a.from)).y); show("sizes", sizeof a * 100 + sizeof all[0].deep);
  for (int i = 0; i < 3; i++) show("all", (long long)all[i].from.x + all[i].to[0].y + all[i].to[1].y + all[i].tag + all[i].deep.a);
  struct box$@ *p = all + 1, *q = &p[1]; *p = *q; p--; show("p", p->tag + q[-1].tag + (p + 2 == q));
  show("choice", ($[0,1] ? a : b).tag); struct point$@ *r = a.to; show("r", r[1].y + (int)(r - &a.to[0]));
}
