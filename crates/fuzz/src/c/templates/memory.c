static void dump$@(const void *p, unsigned n) { const unsigned char *c = p; while (n--) printf("%02x", *c++); printf("\n"); }
static void gadget$@(void) {
  unsigned char a[16], b[16]; memset(a, $[0,300], sizeof a); for (int i = 0; i < 16; i++) b[i] = i * $[1,20]; memcpy(a + 3, b + $[0,5], $[0,10]); dump$@(a, 16);
  memmove(a + 2, a, 10); dump$@(a, 16); memmove(a, a + $[1,5], 10); int r = memcmp(a, b, 16); show("memcmp", (r > 0) - (r < 0)); show("equal", memcmp(b, b, 16) == 0 && memcmp(a, b, 0) == 0);
  char s[20] = "hello", t[] = { 'h', 'e', 'l', 0, 'x' }; r = strcmp(s, t); show("strcmp", (r > 0) - (r < 0)); r = strcmp("\xff", "a"); show("high", r > 0); show("same", strcmp("ab", "ab")); strcpy(s + strlen(s), " world"); puts(s); show("length", strlen(s + $[0,11]));
  int *p = malloc(4 * sizeof *p), *q = calloc($n=($[1,6]), sizeof *q); for (int i = 0; i < 4; i++) p[i] = i + $[0,9]; p = realloc(p, 10 * sizeof *p); p[9] = p[3]; show("p", p[0] + p[9] + q[$n - 1]); memcpy(q, p, sizeof *q); show("q", q[0]); free(p); free(q); free(0);
  struct { int *p; char c; struct { int **pp; } in; } x, y; int v = $[0,9], *pv = &v; x.p = &v; x.c = 'c'; x.in.pp = &pv; memcpy(&y, &x, sizeof x); ++*y.p; **y.in.pp *= 3; show("v", v + y.c);
  int *from[3] = { &v, pv, 0 }, *to[3]; memcpy(to, from, sizeof to); *to[1] += 1; show("to", *to[0] + !to[2]); unsigned long long u = 0; memcpy(&u, &"abcdefgh"[$[0,1]], 7); show("u", (long long)u);
  char **strings = malloc(3 * sizeof *strings); for (int i = 0; i < 3; i++) { strings[i] = calloc(1, 8); strings[i][0] = 'a' + i; } putchar(strings[$[0,2]][0]); putchar('\n'); for (int i = 0; i < 3; i++) free(strings[i]); free(strings);
  float f = $[-9,9] * 0.5f; unsigned bits; memcpy(&bits, &f, 4); printf("%x\n", bits); double d = $[-9,9] * 0.125; dump$@(&d, 8); dump$@(&(struct { char a; short b; }[2]){ { 1, 2 }, { 3, 4 } }[1].b, 2);
}
