static int odd$@(unsigned n); static int even$@(unsigned n) { return n == 0 ? 1 : odd$@(n - 1); } static int odd$@(unsigned n) { return n == 0 ? 0 : even$@(n - 1); }
static int ack$@(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack$@(m - 1, 1) : ack$@(m - 1, ack$@(m, n - 1)); }
static unsigned long long fib$@(unsigned n) { return n < 2 ? n : fib$@(n - 1) + fib$@(n - 2); }
static void hanoi$@(int n, int from, int to, int by, unsigned *moves) { if (!n) return; hanoi$@(n - 1, from, by, to, moves); *moves = *moves * 3 + from * 4 + to; hanoi$@(n - 1, by, to, from, moves); }
struct tree$@ { struct tree$@ *child[2]; $T=(#int) key; int count; };
static struct tree$@ *insert$@(struct tree$@ *t, $T key) { if (!t) { t = calloc(1, sizeof *t); t->key = key; } else if (t->key != key) { struct tree$@ **c = &t->child[t->key < key]; *c = insert$@(*c, key); } t->count++; return t; }
static long long sum$@(const struct tree$@ *t, int depth) { return t ? sum$@(t->child[0], depth + 1) + (long long)(t->key & 0xff) * depth * t->count + sum$@(t->child[1], depth + 1) : 0; }
static void drop$@(struct tree$@ *t) { if (t) { drop$@(t->child[0]); drop$@(t->child[1]); free(t); } }
static int perms$@(int *a, int n, int k) { if (k == n) { int r = 0; for (int i = 0; i < n; i++) r = r * 7 + a[i]; return r % 1009; } int sum = 0; for (int i = k; i < n; i++) { int t = a[k]; a[k] = a[i]; a[i] = t; sum += perms$@(a, n, k + 1); t = a[k]; a[k] = a[i]; a[i] = t; } return sum; }
static void gadget$@(void) {
  show("even", even$@($[0,50]) + 2 * odd$@($[0,50])); show("ack", ack$@(2, $[0,4])); show("fib", (long long)fib$@($[3,12]));
  unsigned moves = 0; hanoi$@($[1,6], 1, 2, 3, &moves); show("moves", moves); struct tree$@ *t = 0; unsigned x = $[1,1000]; for (int i = 0; i < $[1,20]; i++) { x = x * 1103515245u + 12345u; t = insert$@(t, ($T)(x >> 16)); }
  show("tree", sum$@(t, 1)); drop$@(t); int a[] = { 1, 2, 3, $[4,9] }; show("perms", perms$@(a, 4, 0));
}
