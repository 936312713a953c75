struct pair$@ { int *first, *second; };
struct device$@ { int number; $T=(char|int) name[6]; int *table[4]; struct pair$@ pairs[3]; int *last; struct { long inner; char tag[3]; } nested; };
static int x$@ = $[1,9], y$@ = $[1,9], z$@ = $[1,9];
static struct device$@ global$@;
static struct device$@ *of_name$@($T *name) { return (struct device$@ *)((char *)name - __builtin_offsetof(struct device$@, name)); }
static struct device$@ *of_tag$@(char *tag) { return (struct device$@ *)(tag - __builtin_offsetof(struct device$@, nested.tag)); }
static struct device$@ *of_last$@(int **last) { return (struct device$@ *)((char *)last - __builtin_offsetof(struct device$@, last)); }
static void gadget$@(void) {
  struct device$@ local = { 1, { 2, 3 }, { &x$@, &y$@, &z$@, &x$@ }, { { &y$@, &z$@ } }, &z$@, { 7, "ab" } }, *d = $(&local|&global$@), many[2] = { local, local };
  *d = local; int **end = d->table + 4, **back = end - $[1,4]; show("back", **back); back = &d->table[$[1,3]]; back--; show("back", **back + **--end);
  while (end > d->table) { --end; if (*end == &y$@) *end = &z$@; } show("table", *d->table[0] + *d->table[1] * 10 + *d->table[2] * 100);
  show("of", of_name$@(d->name)->number + of_last$@(&d->last)->number + (int)of_tag$@(d->nested.tag)->nested.inner + *of_last$@(&d->last)->table[$[0,3]]);
  struct pair$@ two; memcpy(&two, &d->table[$[0,2]], sizeof two); show("two", *two.first + *two.second); int *list[2] = { &y$@, &x$@ }; memcpy(&d->pairs[$[0,2]], list, sizeof list); show("pairs", *d->pairs[0].first);
  memcpy(list, d->pairs, sizeof list); show("list", *list[0] + *list[1]); char bytes[24]; int *in = &z$@, *out; memcpy(bytes + $[0,16], &in, sizeof in > 4 ? 8 : 4); memcpy(bytes, &in, sizeof in); memcpy(&out, bytes, sizeof out); show("out", *out);
  int **walk = (int **)((char *)d->table + $[0,3] * sizeof(int *)); show("walk", **walk); walk = (int **)((char *)&d->table[3] + sizeof(int *)); show("walk", **walk);
  many[1].pairs[2].second = &y$@; struct device$@ *m = &many[1]; m -= $[0,1]; struct pair$@ *p = &m->pairs[2]; show("many", *p[-2].first + (many + 2)[-1].number); p = many[1].pairs + 3; show("second", **&(--p)->second);
  many[0] = many[1]; show("copied", *many[0].pairs[2].second + *many[$[0,1]].last); struct device$@ *heap = malloc(2 * sizeof *heap); heap[1] = many[1]; memcpy(heap, heap + 1, sizeof *heap); show("heap", *heap->pairs[2].second + *heap[1].table[$[0,3]]); free(heap);
}
