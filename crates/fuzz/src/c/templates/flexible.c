struct flexible$@ { $(char|short|int|long long) size; $T=(#int) items[]; };
static struct flexible$@ fixed$@ = { 2$(|||||||, { 1, $[0,1] }) };
static struct flexible$@ *make$@(unsigned n) {
  struct flexible$@ *f = malloc(sizeof *f + n * sizeof f->items[0]);
  f->size = n; for (unsigned i = 0; i < n; i++) f->items[i] = i * $[1,9];
  return f;
}
static void gadget$@(void) {
  struct flexible$@ *f = make$@($n=($[1,9])), *g = malloc(sizeof *g + $n * sizeof(f->items[0]));
  long long sum = 0; memcpy(g, f, sizeof *f + $n * sizeof f->items[0]); g->items[$n - 1]++;
  for (int i = 0; i < f->size; i++) sum += f->items[i] * 3 - g->items[i];
  show("sum", sum); show("offset", offsetof(struct flexible$@, items) * 100 + sizeof(struct flexible$@)); show("fixed", fixed$@.size);
  free(f); g = realloc(g, sizeof *g + 20 * sizeof g->items[0]); g->items[19] = 1; show("g", (long long)g->items[0] + g->items[19]); free(g);
}
