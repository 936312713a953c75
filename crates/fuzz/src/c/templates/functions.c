typedef int operation$@(int, int); typedef operation$@ *chosen$@;
static int plus$@(int a, int b) { return a + b; } static int minus$@(int a, int b) { return a - b; } static int times$@(int a, int b) { return a * b; }
static operation$@ *const table$@[] = { plus$@, &minus$@, [3] = times$@ };
static chosen$@ choose$@(int n) { return n == 2 ? minus$@ : table$@[n]; }
static int (*returned$@(int n))(int, int) { return choose$@(n & 3); }
static int apply$@(int f(int, int), int n) { return (*f)(n, $[1,9]) + (**f)(2, n) + f(n, n); }
static int fold$@(chosen$@ f, const int *a, int n, int r) { for (int i = 0; i < n; i++) r = f(r % 1000, a[i]); return r; }
struct object$@ { int state; int (*step)(struct object$@ *, int); void (*const *all)(struct object$@ *); };
static int grow$@(struct object$@ *o, int by); static int shrink$@(struct object$@ *o, int by) { o->state -= by; if (o->state < $[0,20]) o->step = grow$@; return o->state; }
static int grow$@(struct object$@ *o, int by) { o->state += by * 2; if (o->state > $[20,60]) o->step = shrink$@; return o->state; }
static void reset$@(struct object$@ *o) { o->state = 0; } static void bump$@(struct object$@ *o) { o->state++; }
static void (*const virtual$@[])(struct object$@ *) = { bump$@, bump$@, reset$@ };
static void gadget$@(void) {
  int a[] = { 1, $[0,9], $[0,9], 4 }; chosen$@ f = plus$@, g[2] = { *times$@, &*minus$@ }, *h = g;
  for (int i = 0; i < 4; i++) show("returned", returned$@(i)(10, i) + (*choose$@(i))($[0,9], 3));
  show("apply", apply$@(plus$@, 3) + apply$@(h[1], $[0,9]) + apply$@(*h, 4)); show("fold", fold$@(f, a, 4, 0) + fold$@(table$@[3], a, 4, 1) + fold$@(f == plus$@ ? minus$@ : f, a, 4, 100));
  show("compare", (f == plus$@) + (f != h[0]) * 2 + !f + (f && g[1]) * 4); show("null", table$@[2] == 0);
  struct object$@ o = { $[0,30], grow$@, virtual$@ }, *p = &o; for (int i = 0; i < 8; i++) add(p->step(p, i)), o.all[i % 3](&o), (*p->all)(p); show("state", o.state);
  int (*(*maker)(int))(int, int) = returned$@; show("maker", maker(0)(3, 4) + (*(*maker)(1))(3, 4)); void *hidden = (void *)plus$@; show("hidden", ((chosen$@)hidden)(5, 6));
}
