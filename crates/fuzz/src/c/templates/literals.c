struct pair$@ { int a; $T=(#int) b; };
static int total$@(const struct pair$@ *p, int n) { int sum = 0; while (n--) sum += p[n].a * (n + 1) + (int)(p[n].b & 7); return sum; }
static int *outside$@ = (int[]){ $[0,9], $[0,9], [4] = $[0,9] };
static struct pair$@ *also$@ = &(struct pair$@){ .b = 1, .a = $[0,9] };
static void gadget$@(void) {
  int n = $[0,50];
  show("total", total$@((struct pair$@[]){ { 1, 2 }, { n }, { .b = n } }, 3)); show("one", total$@(&(struct pair$@){ n, n }, 1));
  int *p = (int[3]){ n, n + 1 }; p[2] += p[1]; show("array", p[0] + p[2]); show("element", ((int[]){ 3, 1, 4, 1, 5 })[n % 5]);
  show("string", (char[8]){ "hello" }[n & 3] + "world"[n % 6] + 2["xyz"]); show("member", (struct pair$@){ n, 1 }.a);
  for (int i = 0; i < 3; i++) { struct pair$@ *q = &(struct pair$@){ i }; q->a += n; add(q->a + q->b); }
  show("outside", outside$@[0] + outside$@[3] + outside$@[4] + also$@->a); outside$@[3] = n; also$@->a++; show("again", outside$@[3] + also$@->a);
  (struct pair$@){ 1, 1 } = (struct pair$@){ 2, 0 }; show("scalar", (int){ n } + *&(short){ n }); show("size", sizeof (int[]){ 1, 2, 3 });
}
