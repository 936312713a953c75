struct node$@ { int value; struct node$@ *next, **back; int *inside; };
static void swap$@(int **p, int **q) { int *t = *p; *p = *q; *q = t; }
static int cube$@[2][3][4];
static int walk$@(const int *from, const int *to) { int r = 0; while (from != to) r = r * 3 % 10007 + *from++; return r; }
static struct node$@ *push$@(struct node$@ *list, int v) { struct node$@ *n = malloc(sizeof *n); n->value = v; n->next = list; n->back = 0; n->inside = &n->value; if (list) list->back = &n->next; return n; }
static void gadget$@(void) {
  int x = $[0,9], y = $[0,9], *p = &x, *q = &y, **pp = $(&p|&q), ***ppp = &pp, a[10], (*whole)[10] = &a;
  for (int i = 0; i < 10; i++) *(a + i) = i * i; for (int i = 0; i < 24; i++) cube$@[i / 12][i / 4 % 3][i % 4] = i;
  swap$@(&p, &q); **pp += 5; ***ppp *= 2; *ppp = &q; **ppp = p; show("xy", x * 100 + y + (p == q));
  show("walk", walk$@(a, a + 10) + walk$@(&(*whole)[2], *whole + $[2,10])); show("end", (int)(&a[10] - a) + (a + 10 > &a[9]) + (whole + 1 == (void *)(a + 10)));
  int (*plane)[3][4] = cube$@, (*line)[4] = cube$@[1]; plane++; show("cube", (*plane)[1][2] + line[2][3] + plane[-1][0][$[0,3]] + *(*(*(cube$@ + 1) + 2) + 1));
  p = &a[$[1,8]]; show("p", *p++ + *--p * 2 + (*p)++ + p[-1] + -1[p]); q = p; q += 2 - 1; q--; show("q", q - p + (q == p) + !p + (p && q)); 
  p = a + 4; *p++ = 1; *++p = 2; show("p", (int)(p - a) + a[4] + a[6]); $T=(char|short|long long|unsigned) z = $[0,99], *pz = &z; *pz += *pz; ++*pz; (*pz)--; show("z", (long long)*pz);
  struct node$@ *list = 0; for (int i = 0; i < $[1,6]; i++) list = push$@(list, i * $[1,9]);
  for (struct node$@ *n = list; n; n = n->next) { *n->inside += 1; show("value", n->value); if (n->back) (*n->back)->value++; }
  for (struct node$@ **n = &list; *n; ) { if ((*n)->value & 1) { struct node$@ *dead = *n; *n = dead->next; free(dead); } else n = &(*n)->next; }
  int count = 0; while (list) { struct node$@ *n = list->next; count += list->value; free(list); list = n; } show("count", count);
  unsigned char *bytes = (unsigned char *)&x; x = $[0,100000]; show("bytes", bytes[0] + bytes[1] * 2 + bytes[3]); void *v = &x; *(int *)v = 3; show("x", x + *(int *)(char *)v);
  unsigned long number = (unsigned long)&y; *(int *)number = $[0,9]; show("y", y + *(int *)(number ^ 0)); const char *s = "hello", *e = s; while (*e) e++; show("length", e - s);
}
